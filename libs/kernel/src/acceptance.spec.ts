import { describe, expect, it } from '@jest/globals';
import { acceptance } from './index.js';

describe('acceptance', () => {
  it('an acceptance is new under a name that nothing has', () => {
    expect(acceptance(undefined, 'a')).toBe('new');
  });

  it('an acceptance is the same for the content that the name has', () => {
    expect(acceptance('a', 'a')).toBe('same');
  });

  it('an acceptance is changed for any other content', () => {
    expect(acceptance('a', 'b')).toBe('changed');
  });
});
