import { describe, expect, it } from '@jest/globals';
import { figureText } from './figure-text.js';

describe('a measured number', () => {
  it('a measured number is shown with six digits, a count as it is, and a minus is no hyphen', () => {
    expect([-0.1, 0, 0.0002, -1234.5678, 1_234_567].map(figureText)).toEqual([
      '\u22120.1',
      '0',
      '0.0002',
      '\u22121,234.57',
      '1,234,567',
    ]);
  });
});
