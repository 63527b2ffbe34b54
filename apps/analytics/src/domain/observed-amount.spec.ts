import { describe, expect, it } from '@jest/globals';
import { observedMinor } from './observed-amount.js';

describe('the amount of an observed purchase', () => {
  it.each([
    [0.1, 2, 10n],
    [1.005, 2, 100n],
    [1.015, 2, 102n],
    [1.025, 2, 102n],
    [10.5, 0, 10n],
    [11.5, 0, 12n],
    [1.2345, 3, 1_234n],
    [1e21, 2, 100_000_000_000_000_000_000_000n],
    [5e-324, 2, 0n],
    [0, 2, 0n],
    [9007199254740993, 0, 9_007_199_254_740_992n],
  ])('%d with %d decimals is %d minor units', (amount, digits, minor) => {
    expect(observedMinor(amount, digits)).toBe(minor);
  });
});
