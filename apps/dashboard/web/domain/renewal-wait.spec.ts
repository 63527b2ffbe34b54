import { describe, expect, it } from '@jest/globals';
import { renewalWaitMs } from './renewal-wait.js';

const DAY_S = 86_400;

describe('the wait before a token is renewed', () => {
  it.each([
    { life: 3_600, waitMs: 3_540_000 },
    { life: 60, waitMs: 30_000 },
    // A browser's timer takes no more than 32 bits, and 30 days are more.
    { life: 30 * DAY_S, waitMs: 2_147_483_647 },
  ])('a token that lasts $life s is renewed after $waitMs ms', ({ life, waitMs }) => {
    expect(renewalWaitMs({ iat: 1_000, exp: 1_000 + life }, 1_000_000)).toBe(waitMs);
  });

  it('a token that has ended is renewed at once', () => {
    expect(renewalWaitMs({ iat: 1_000, exp: 1_060 }, 2_000_000)).toBe(0);
  });
});
