import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressText } from './address-text.js';
import { idOf } from './event-search.js';

const { parseSearch, stringifySearch } = addressText;
const idIn = (address: string): string | undefined =>
  idOf((parseSearch(address) as { readonly id?: unknown }).id);

describe('an id in an address', () => {
  it.each(['1e5', '1.0', '1.5', '007', '12345678901234567890', 'true', 'null', '"cup"', '[1]', '{"a":1}'])(
    'an id %s of a link is read as it is spelled',
    (id) => {
      expect(idIn(`?id=${encodeURIComponent(id)}`)).toBe(id);
    },
  );

  it('any id is read back as it was written', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 128 }), (id) => {
        expect(idIn(stringifySearch({ id }))).toBe(id);
      }),
    );
  });
});
