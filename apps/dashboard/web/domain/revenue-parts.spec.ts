import { describe, expect, it } from '@jest/globals';
import { readRevenueSearch } from './revenue-parts.js';

describe('a part of the difference in the address', () => {
  it('a part is opened with its currency alone', () => {
    expect(readRevenueSearch({ part: 'adjustments', currency: 'EUR' })).toEqual({
      part: 'adjustments',
      currency: 'EUR',
    });
    expect(readRevenueSearch({ part: 'adjustments' })).toEqual({});
    expect(readRevenueSearch({ part: 'constructor', currency: 'EUR' })).toEqual({});
    expect(readRevenueSearch({ part: 'adjustments', currency: 'eur' })).toEqual({});
  });
});
