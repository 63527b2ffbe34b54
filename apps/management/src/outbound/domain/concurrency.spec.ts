import { describe, expect, it } from '@jest/globals';
import { AdaptiveLimit } from './concurrency.js';

const HOUR_MS = 3_600_000;

describe('the limit of deliveries under way', () => {
  it('a limit is forgotten at once when it is the usual one, else two hours after the last attempt', () => {
    const [fast, failing] = [new AdaptiveLimit(), new AdaptiveLimit()];
    for (const limit of [fast, failing]) limit.begin();
    expect([fast, failing].map((limit) => limit.isForgettable(9 * HOUR_MS))).toEqual([false, false]);
    fast.end(true, 0);
    failing.end(false, 0);
    expect([fast, failing].map((limit) => limit.isForgettable(2 * HOUR_MS))).toEqual([true, false]);
    expect(failing.isForgettable(2 * HOUR_MS + 1)).toBe(true);
  });
});
