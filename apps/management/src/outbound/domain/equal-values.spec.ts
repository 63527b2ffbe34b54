import { describe, expect, it } from '@jest/globals';
import { EqualValues } from './equal-values.js';

describe('values that are looked up', () => {
  it.each<[unknown, unknown, boolean]>([
    ['a', 'a', true],
    [1, true, false],
    ['true', true, false],
    [null, 'null', false],
    [10, '10.00', true],
    ['10.00', 10, true],
    ['10.00', '10', true],
    ['10.00', '010', false],
    ['1000000000000000000000', '1000000000000000000001', false],
    ['1000000000000000000001', '1000000000000000000001.0', true],
    [1e21, '1000000000000000000001', true],
    [10, '010', false],
    ['', 0, false],
    [' 10', 10, false],
    ['0x10', 16, false],
    [0, '-0.00', true],
    ['-0', 0, true],
    [-1.5, '-1.50', true],
    [0.1, '0.1000', true],
    [0.1, '0.1000000000000000055511151231257827', false],
    ['9007199254740993', 9_007_199_254_740_992, false],
    ['9007199254740992', 9_007_199_254_740_992, true],
    [1e21, '1000000000000000000000', true],
    ['0.0000001', 1e-7, true],
  ])('%p and %p are equal: %p', (one, other, isEqual) => {
    expect(new EqualValues(['another', 7, one]).has(other)).toBe(isEqual);
  });
});
