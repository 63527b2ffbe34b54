import { describe, expect, it } from '@jest/globals';
import { FAILURES } from '@truetally/contracts/http';
import type { FailureCode } from '@truetally/kernel';
import { type Refusal, REFUSALS, refusalOf } from './errors.js';

/** Interface page, section 1: statuses and the code of each. */
const CODE_OF_STATUS: Readonly<Record<number, readonly string[]>> = {
  400: ['VALIDATION_ERROR', 'BAD_REQUEST'],
  401: ['UNAUTHORIZED'],
  403: ['FORBIDDEN'],
  404: ['NOT_FOUND'],
  405: ['BAD_REQUEST'],
  409: ['CONFLICT'],
  413: ['BAD_REQUEST'],
  415: ['BAD_REQUEST'],
  429: ['RATE_LIMIT_EXCEEDED'],
  500: ['INTERNAL_ERROR'],
  503: ['INTERNAL_ERROR'],
};

const refusals: readonly (readonly [string, Refusal])[] = Object.entries(REFUSALS);

describe('the error table', () => {
  it.each(refusals)('gives %s a status and code that belong together', (_name, { status, code }) => {
    expect(CODE_OF_STATUS[status]).toContain(code);
  });

  it('names how to authenticate with every 401, and when to come back with every 503', () => {
    for (const [, { status, challenge, retryAfterSeconds }] of refusals) {
      expect(challenge !== undefined).toBe(status === 401);
      if (status === 503) expect(retryAfterSeconds).toBeGreaterThan(0);
      // Of the hourly limit, X-RateLimit-Reset says when.
      if (retryAfterSeconds !== undefined) expect([429, 503]).toContain(status);
    }
  });

  it('knows every status of the interface page that the gateway itself can give', () => {
    const statuses = new Set(refusals.map(([, { status }]) => status));
    for (const status of [400, 401, 403, 404, 405, 413, 415, 429, 500, 503])
      expect(statuses).toContain(status);
  });

  it.each(Object.keys(FAILURES) as FailureCode[])("turns a service's %s into its status", (code) => {
    const refusal = refusalOf({ code, message: 'Why.', details: {} });
    expect(refusal.status).toBe(FAILURES[code].status);
    expect(refusal.code).toBe(FAILURES[code].code);
  });

  it('never passes on a service’s internal error message', () => {
    for (const code of ['INTERNAL_ERROR', 'UNAVAILABLE'] as const) {
      const { message } = refusalOf({ code, message: 'select * from secrets', details: {} });
      expect(message).not.toContain('select');
    }
  });
});
