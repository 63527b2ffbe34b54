import { describe, expect, it } from '@jest/globals';
import { timeLeft } from './time-left.js';

describe('the time that is left', () => {
  it.each([
    [0, '0:00'],
    [-5_000, '0:00'],
    [1, '0:01'],
    [61_000, '1:01'],
    [3_599_000, '59:59'],
    [3_600_000, '1:00:00'],
    [90_061_000, '1 day 1:01:01'],
    [604_800_000, '7 days 0:00:00'],
  ])('%i milliseconds are left as %s', (leftMs, text) => {
    expect(timeLeft(leftMs)).toBe(text);
  });
});
