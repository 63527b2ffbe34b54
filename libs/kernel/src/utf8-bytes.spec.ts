import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from './testing/any-text.js';
import { utf8Bytes } from './utf8-bytes.js';

describe('utf8Bytes', () => {
  it('the bytes of a text are those that Node counts, whatever its characters, in pairs or not, and its length', () => {
    const text = fc
      .tuple(fc.string({ unit: anyCharacter, maxLength: 20 }), fc.constantFrom(1, 3, 200, 4_000, 30_000))
      .map(([piece, times]) => piece.repeat(times));
    const halves = text.map((whole) => whole.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '\ud83d'));
    fc.assert(fc.property(fc.oneof(text, halves), (one) => utf8Bytes(one) === Buffer.byteLength(one)));
  });

  it.each([1, 127, 128, 65_536, 65_537])('%i characters of three bytes are three times as many', (length) => {
    expect(utf8Bytes('漢'.repeat(length))).toBe(3 * length);
  });
});
