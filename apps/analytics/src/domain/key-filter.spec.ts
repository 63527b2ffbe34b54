import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { filterWords, keyFilter, seemingIn } from './key-filter.js';

const KEY_BYTES = 16;
const OTHERS = 10_000;
/** Some seventy are expected at most. */
const MOST_WRONG = 200;

/** As the statement of `mayHave` asks. */
function isAsked(filter: Buffer, key: Buffer): boolean {
  return filterWords(key).every(([word = 0]) => {
    const place = word & (8 * filter.length - 1);
    return (((filter[place >> 3] ?? 0) >> (place & 7)) & 1) === 1;
  });
}

describe('a filter of keys', () => {
  it('every key of a filter is found, whatever the lists are', () => {
    const keys = fc.array(fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 3 }), (lists) => {
        const filter = keyFilter(...lists.map((list) => Buffer.concat(list)));
        for (const key of lists.flat()) expect(isAsked(filter, Buffer.from(key))).toBe(true);
        const all = Buffer.concat(lists.flat());
        const places = lists.flat().map((_, place) => place);
        expect([...seemingIn([Buffer.alloc(8), filter], all)]).toEqual(places);
      }),
    );
  });

  it('few other keys are taken for one of a filter', () => {
    const filter = keyFilter(randomBytes(3_000 * KEY_BYTES), randomBytes(3_000 * KEY_BYTES));
    const others = randomBytes(OTHERS * KEY_BYTES);
    const wrong = seemingIn([filter], others).size;
    expect(wrong).toBeLessThan(MOST_WRONG);
    const each = Array.from({ length: OTHERS }, (_, place) =>
      others.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES),
    );
    expect(each.filter((key) => isAsked(filter, key))).toHaveLength(wrong);
  });
});
