import { describe, expect, it } from '@jest/globals';
import { isSameName } from './same-name.js';

describe('isSameName()', () => {
  it.each([
    ['Kaffee und Tee', 'Kaffee  und\u00a0Tee '],
    ['Caf\u00e9', 'Cafe\u0301'],
  ])('%s is what a reader sees of the name', (typed, name) => {
    expect(isSameName(typed, name)).toBe(true);
  });

  it.each(['', 'Kaffee', 'kaffee und tee'])('"%s" is another name', (typed) => {
    expect(isSameName(typed, 'Kaffee und Tee')).toBe(false);
  });

  it('a name that nobody sees is not typed by typing nothing', () => {
    expect(isSameName('', ' ')).toBe(false);
  });
});
