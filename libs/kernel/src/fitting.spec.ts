import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitting } from './fitting.js';

const MIB = 1_048_576;

describe('items that fit a page', () => {
  it('they are the longest beginning of 4 MiB of text, and at least one', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 24 }), { maxLength: 12 });
    fc.assert(
      fc.property(sizes, (quarters) => {
        const texts = quarters.map((count) => 'x'.repeat((count * MIB) / 4));
        const page = fitting(texts, (text) => text);
        const sumOf = (count: number): number => quarters.slice(0, count).reduce((sum, one) => sum + one, 0);
        expect(page).toEqual(texts.slice(0, page.length));
        expect(page.length <= 1 || sumOf(page.length) <= 16).toBe(true);
        expect(page.length === texts.length || (page.length > 0 && sumOf(page.length + 1) > 16)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('characters count as the bytes that they become', () => {
    const items = ['é'.repeat(1.5 * MIB), 'é'.repeat(1.5 * MIB)];
    expect(fitting(items, (item) => item)).toHaveLength(1);
  });
});
