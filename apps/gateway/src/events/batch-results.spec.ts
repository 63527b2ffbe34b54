import { describe, expect, it } from '@jest/globals';
import { fail, succeed } from '@truetally/kernel';
import { writeBatchResults } from './batch-results.js';

const TIME = '2026-01-31T09:30:00.000Z';

describe('the results of a batch (interface page, section 4)', () => {
  it('hold one entry per item in order, and their sums', () => {
    const { failed, data } = writeBatchResults(
      [succeed('a'), fail({ session_id: ['must be "x"'] }), succeed('b')],
      [
        { verdict: 'stored', receivedAt: TIME },
        { verdict: 'duplicate', receivedAt: TIME },
      ],
    );
    expect(failed).toBe(1);
    expect(JSON.parse(data)).toEqual({
      total: 3,
      stored: 1,
      deduplicated: 1,
      failed: 1,
      results: [
        { index: 0, status: 'stored', event_id: 'a', timestamp: TIME },
        {
          index: 1,
          status: 'failed',
          error: {
            code: 'VALIDATION_ERROR',
            message: expect.any(String),
            details: { 'events.1.session_id': ['must be "x"'] },
            retryable: false,
          },
        },
        { index: 2, status: 'duplicate', event_id: 'b', timestamp: TIME, deduplicated: true },
      ],
    });
  });

  it('results of a batch are never made up for an event without a verdict', () => {
    expect(() => writeBatchResults([succeed('a')], [])).toThrow('verdict');
  });
});
