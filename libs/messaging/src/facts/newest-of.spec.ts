import { describe, expect, it } from '@jest/globals';
import { fail, succeed } from '@truetally/kernel';
import { UnreadableError } from '../errors.js';
import { newestOf } from './newest-of.js';

const readNumber = (text: string) =>
  Number.isNaN(Number(text)) ? fail(`${text} is no number`) : succeed(Number(text));
const newest = (...facts: readonly (readonly [string, string | null])[]) =>
  newestOf(
    facts.map(([key, value]) => ({ key, value })),
    'numbers.v1',
    readNumber,
  );

describe('the newest facts', () => {
  it('are the last of each key, and the keys whose last is a tombstone', () => {
    expect(newest(['a', '1'], ['b', '2'], ['a', '3'], ['b', null], ['c', null], ['c', '4'])).toEqual({
      there: new Map([
        ['a', 3],
        ['c', 4],
      ]),
      gone: ['b'],
    });
  });

  it('are unreadable when one of the last is, and not for one that is out of date', () => {
    expect(newest(['a', 'x'], ['a', '1']).there).toEqual(new Map([['a', 1]]));
    expect(() => newest(['a', 'x'])).toThrow(new UnreadableError('numbers.v1: x is no number'));
  });
});
