import { describe, expect, it } from '@jest/globals';
import { changeOf } from './changes.js';

describe('the change of a count', () => {
  it('a change has its sign as a character, with the percent of what was before', () => {
    expect(changeOf(134, 100)).toBe('+34 (+34\u00a0%)');
    expect(changeOf(2, 3)).toBe('\u22121 (\u221233.3\u00a0%)');
    expect(changeOf(0, 4)).toBe('\u22124 (\u2212100\u00a0%)');
  });

  it('a change from nothing has no percent, and the same count is no change', () => {
    expect(changeOf(5, 0)).toBe('+5');
    expect(changeOf(0, 0)).toBe('no change');
    expect(changeOf(7, 7)).toBe('no change');
  });
});
