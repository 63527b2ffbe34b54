import { describe, expect, it } from '@jest/globals';
import { FAILURES } from './failures.js';

describe('failures (interface page, section 1)', () => {
  it('map every code to its status', () => {
    const statuses = Object.fromEntries(
      Object.entries(FAILURES).map(([name, rule]) => [name, [rule.status, rule.code]]),
    );
    expect(statuses).toEqual({
      VALIDATION_ERROR: [400, 'VALIDATION_ERROR'],
      BAD_REQUEST: [400, 'BAD_REQUEST'],
      UNAUTHORIZED: [401, 'UNAUTHORIZED'],
      FORBIDDEN: [403, 'FORBIDDEN'],
      NOT_FOUND: [404, 'NOT_FOUND'],
      CONFLICT: [409, 'CONFLICT'],
      RATE_LIMIT_EXCEEDED: [429, 'RATE_LIMIT_EXCEEDED'],
      INTERNAL_ERROR: [500, 'INTERNAL_ERROR'],
      UNAVAILABLE: [503, 'INTERNAL_ERROR'],
    });
  });

  it('tell a client to retry (section 7.4 of the specification) only after 429 and 5xx', () => {
    for (const { status, retryable } of Object.values(FAILURES)) {
      expect(retryable).toBe(status === 429 || status >= 500);
    }
  });
});
