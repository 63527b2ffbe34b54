import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fingerprint, uuidFromFingerprint } from './index.js';

describe('fingerprint', () => {
  it('gives different field lists different fingerprints, wherever their texts are cut', () => {
    const fields = fc.array(fc.option(fc.string({ maxLength: 3 })), { maxLength: 4 });
    fc.assert(
      fc.property(fields, fields, (left, right) => {
        const same = JSON.stringify(left) === JSON.stringify(right);
        expect(fingerprint(left).equals(fingerprint(right))).toBe(same);
      }),
    );
  });

  it('makes RFC 9562 version 8 UUIDs', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(uuidFromFingerprint(fingerprint([text]))).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
    );
  });
});
