import { describe, expect, it } from '@jest/globals';
import { acceptance } from './index.js';

describe('acceptance', () => {
  it('is new under a name that nothing has', () => {
    expect(acceptance(undefined, 'a')).toBe('new');
  });

  it('is the same for the content that the name has', () => {
    expect(acceptance('a', 'a')).toBe('same');
  });

  it('is changed for any other content', () => {
    expect(acceptance('a', 'b')).toBe('changed');
  });
});
