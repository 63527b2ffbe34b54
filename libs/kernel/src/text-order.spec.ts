import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareCodePoints } from './text-order.js';

describe('the order of texts by code points', () => {
  it('the order of texts by code points is that of their UTF-8 bytes, which JavaScript’s own is not', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom('a', '\u{ffee}', '\u{1f642}', '\u{1f643}', '\u{ffff}')),
    });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const expected = Buffer.compare(Buffer.from(one), Buffer.from(other));
        expect(Math.sign(compareCodePoints(one, other))).toBe(expected);
      }),
    );
    expect('\u{1f642}' < '\u{ffee}').toBe(true);
    expect(compareCodePoints('\u{1f642}', '\u{ffee}')).toBeGreaterThan(0);
  });
});
