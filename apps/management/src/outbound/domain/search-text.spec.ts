import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { searchFor } from './search-text.js';

describe('a text in another one', () => {
  it('a text is found exactly where the engine finds it, of any length', () => {
    const repetitive = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 300 });
    fc.assert(
      fc.property(repetitive, repetitive, fc.nat(70_000), (wanted, around, fill) => {
        for (const text of [around, 'a'.repeat(fill) + around, around + 'ab'.repeat(fill / 2) + wanted]) {
          expect(searchFor(wanted)(text)).toBe(text.includes(wanted));
        }
      }),
      { numRuns: 100 },
    );
  });
});
