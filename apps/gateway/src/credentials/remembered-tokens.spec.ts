import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RememberedTokens } from './remembered-tokens.js';

const LIMIT = 3;

describe('Remembered tokens', () => {
  let nowMs: number;
  let tokens: RememberedTokens<string>;

  beforeEach(() => {
    nowMs = 1_000;
    tokens = new RememberedTokens(() => nowMs, LIMIT);
  });

  it('remembered tokens are recalled until their time, and not at it', () => {
    tokens.remember('a', 'claims of a', 1_500);
    expect(tokens.recall('a')).toBe('claims of a');
    nowMs = 1_499;
    expect(tokens.recall('a')).toBe('claims of a');
    nowMs = 1_500;
    expect(tokens.recall('a')).toBeUndefined();
  });

  it('evicted tokens stay evicted when the clock goes back', () => {
    tokens.remember('a', 'claims of a', 1_500);
    nowMs = 1_500;
    tokens.recall('a');
    nowMs = 1_000;
    expect(tokens.recall('a')).toBeUndefined();
  });

  it('make room, the oldest first', () => {
    for (const name of ['a', 'b', 'c', 'd']) tokens.remember(name, name, 2_000);
    expect(['a', 'b', 'c', 'd'].map((name) => tokens.recall(name))).toEqual([undefined, 'b', 'c', 'd']);
  });

  it('remembered again take no room of others', () => {
    for (const name of ['a', 'b', 'c']) tokens.remember(name, name, 2_000);
    tokens.remember('c', 'later', 3_000);
    expect(['a', 'b', 'c'].map((name) => tokens.recall(name))).toEqual(['a', 'b', 'later']);
  });

  it('remembered tokens are never more than the limit, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 50 }), (names) => {
        const some = new RememberedTokens<number>(() => nowMs, LIMIT);
        names.forEach((name, index) => some.remember(name, index, 2_000));
        const distinct = [...new Set(names)];
        const recalled = distinct.filter((name) => some.recall(name) !== undefined);
        expect(recalled).toHaveLength(Math.min(LIMIT, distinct.length));
        const last = names.at(-1);
        if (last !== undefined) expect(some.recall(last)).toBe(names.length - 1);
      }),
    );
  });
});
