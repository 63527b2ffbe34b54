import { describe, expect, it } from '@jest/globals';
import { percentOf, percentOfRate } from './percent.js';

describe('percent', () => {
  it('a rate is shown in percent without a rounding', () => {
    expect(['0.1', '0.075', '1', '0', '0.00125', '0.290'].map(percentOfRate)).toEqual([
      '10\u00a0%',
      '7.5\u00a0%',
      '100\u00a0%',
      '0\u00a0%',
      '0.125\u00a0%',
      '29\u00a0%',
    ]);
  });

  it('a share is shown in percent with at most the digits that are asked for, and no line breaks before its sign', () => {
    expect(percentOf(0.29)).toBe('29\u00a0%');
    expect(percentOf(1 / 3, 1)).toBe('33.3\u00a0%');
    expect(percentOf(12.5)).toBe('1,250\u00a0%');
  });
});
