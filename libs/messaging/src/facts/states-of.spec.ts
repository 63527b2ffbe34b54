import { describe, expect, it } from '@jest/globals';
import { fail, succeed } from '@truetally/kernel';
import { UnreadableError } from '../errors.js';
import { statesOf } from './states-of.js';

const readNumber = (text: string) =>
  Number.isNaN(Number(text)) ? fail(`${text} is no number`) : succeed(Number(text));
const states = (...facts: readonly (readonly [string, string | null])[]) =>
  statesOf(
    facts.map(([key, value]) => ({ key, value, headers: { incarnation: '7' } })),
    'numbers.v1',
    readNumber,
  );

describe('the states of facts', () => {
  it('the states of facts are in the order of the facts, with tombstones', () => {
    expect(states(['a', '1'], ['b', null], ['a', '3'])).toEqual([
      { key: 'a', state: 1, incarnation: 7 },
      { key: 'b', state: null, incarnation: 7 },
      { key: 'a', state: 3, incarnation: 7 },
    ]);
  });

  it('the states of a key are unreadable when its last fact is, and not for one that is out of date', () => {
    expect(states(['a', 'x'], ['b', '2'], ['a', '1'])).toEqual([
      { key: 'b', state: 2, incarnation: 7 },
      { key: 'a', state: 1, incarnation: 7 },
    ]);
    expect(() => states(['a', '1'], ['a', 'x'])).toThrow(new UnreadableError('numbers.v1: x is no number'));
  });

  it.each([
    [undefined, 0],
    ['1700000000000', 1_700_000_000_000],
    ['-1', 0],
    ['soon', 0],
    ['9'.repeat(16), 0],
  ])('states of a record that names incarnation %p are of incarnation %p', (incarnation, read) => {
    const headers: Record<string, string> = incarnation === undefined ? {} : { incarnation };
    const [told] = statesOf([{ key: 'a', value: null, headers }], 'numbers.v1', readNumber);
    expect(told?.incarnation).toBe(read);
  });
});
