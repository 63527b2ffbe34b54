import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retryDelayMs } from './retry-schedule.js';

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
});
