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

  it('a clock that is ahead, by which each new token is about to end, renews no oftener than every 30 s or half of a life', () => {
    expect(renewalWaitMs({ iat: 1_000, exp: 4_600 }, 4_590_000)).toBe(30_000);
    expect(renewalWaitMs({ iat: 1_000, exp: 1_040 }, 1_035_000)).toBe(20_000);
  });
});
