import { describe, expect, it } from '@jest/globals';
import { isCached } from './entity-tag.js';

describe('If-None-Match', () => {
  it.each([
    ['"abc"', true],
    ['W/"abc"', true],
    ['"x", "abc"', true],
    ['"x",W/"abc"', true],
    ['"a,b", "abc"', true],
    ['*', true],
    [' * ', true],
    ['abc', false],
    ['"ab"', false],
    ['"ABC"', false],
    ['"abc', false],
    ['', false],
    [undefined, false],
  ])('%s names "abc": %p', (header, isNamed) => {
    expect(isCached(header, '"abc"')).toBe(isNamed);
  });
});
