import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextAttemptMs, retryDelayMs } from './retry-schedule.js';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the schedule of retries (interface page, section 10)', () => {
  it('the first retry comes after 1 to 5 s', () => {
    fc.assert(
      fc.property(random, (drawn) => {
        const delay = retryDelayMs(1, drawn);
        expect(delay >= 1_000 && delay <= 5_000).toBe(true);
      }),
    );
  });

  it('later retries wait at random below a limit that doubles up to an hour', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), random, (failures, drawn) => {
        const delay = retryDelayMs(failures, drawn);
        expect(delay >= 1_000 && delay <= Math.min(3_600_000, 5_000 * 2 ** (failures - 1))).toBe(true);
      }),
    );
    expect([1, 2, 3].map((failures) => retryDelayMs(failures, 1))).toEqual([5_000, 10_000, 20_000]);
  });

  it('an endpoint that asks to be left alone is, for an hour at most, and its wish shortens no wait', () => {
    const waits = [null, 0, 60_000, 90_000_000].map((retryAfterMs) =>
      nextAttemptMs({ status: 429, retryAfterMs }, 1, 0),
    );
    expect(waits).toEqual([1_000, 1_000, 60_000, 3_600_000]);
  });

  it('an endpoint that says that it is gone is not asked again', () => {
    expect(nextAttemptMs({ status: 410, retryAfterMs: 60_000 }, 1, 0)).toBeNull();
  });
});
