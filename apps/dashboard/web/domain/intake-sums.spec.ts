import { describe, expect, it } from '@jest/globals';
import type { IntakeHour } from '@truetally/node';
import { reasonSums, statusSums } from './intake-sums.js';

const hour = (given: Partial<IntakeHour>): IntakeHour => ({
  start: '2026-01-01T00:00:00.000Z',
  received: 0,
  stored: 0,
  deduplicated: 0,
  failed: 0,
  balanced: true,
  reasons: [],
  refused_requests: [],
  ...given,
});

describe('sums over hours of intake', () => {
  it('reasons are summed by code and field, the most frequent first', () => {
    const few = { code: 'VALIDATION_ERROR', field: 'session_id', count: 2 };
    const many = { code: 'VALIDATION_ERROR', field: null, count: 5 };
    const sums = reasonSums([hour({ reasons: [few, many] }), hour({ reasons: [few] })]);
    expect(sums.map(({ field, count }) => [field, count])).toEqual([
      [null, 5],
      ['session_id', 4],
    ]);
    expect(reasonSums([hour({})])).toEqual([]);
  });

  it('statuses are summed and in their order', () => {
    const refused_requests = [
      { status: 429, count: 1 },
      { status: 400, count: 2 },
    ];
    expect(statusSums([hour({ refused_requests }), hour({ refused_requests })])).toEqual([
      { status: 400, count: 4 },
      { status: 429, count: 2 },
    ]);
  });
});
