import { describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { PageUrl, urlPart } from './page-url.js';

describe("a page's URL", () => {
  it('contains a part exactly if its text contains that part, for any texts', () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 40 }),
      fc.string({ unit: anyCharacter, maxLength: 40 }),
    );
    const both = fc
      .tuple(text, text, fc.nat(40), fc.nat(8))
      .map(([url, other, from, length]) => ({ url, parts: [other, url.slice(from, from + length)] }));
    fc.assert(
      fc.property(both, ({ url, parts }) => {
        const page = new PageUrl(url);
        for (const part of parts) expect(page.holds(urlPart(part))).toBe(url.includes(part));
      }),
      { numRuns: 2_000 },
    );
  });
});
