import { describe, expect, it } from '@jest/globals';
import { fail, succeed } from '@truetally/kernel';
import { UnreadableError } from '../errors.js';
import { statesOf } from './states-of.js';

const readNumber = (text: string) =>
  Number.isNaN(Number(text)) ? fail(`${text} is no number`) : succeed(Number(text));
const states = (...facts: readonly (readonly [string, string | null])[]) =>
  statesOf(
    facts.map(([key, value]) => ({ key, value })),
    'numbers.v1',
    readNumber,
  );

describe('the states of facts', () => {
  it('are in the order of the facts, with tombstones', () => {
    expect(states(['a', '1'], ['b', null], ['a', '3'])).toEqual([
      { key: 'a', state: 1 },
      { key: 'b', state: null },
      { key: 'a', state: 3 },
    ]);
  });

  it('are unreadable when the last of a key is, and not for one that is out of date', () => {
    expect(states(['a', 'x'], ['b', '2'], ['a', '1'])).toEqual([
      { key: 'b', state: 2 },
      { key: 'a', state: 1 },
    ]);
    expect(() => states(['a', '1'], ['a', 'x'])).toThrow(new UnreadableError('numbers.v1: x is no number'));
  });
});
