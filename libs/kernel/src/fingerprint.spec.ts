import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fingerprint, uuidFromFingerprint, writeFingerprintUuid } from './index.js';

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

  it('writes the same UUID as bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.string())), (fields) => {
        const bytes = Buffer.alloc(18, 0xff);
        writeFingerprintUuid(bytes, 1, fields);
        const digits = uuidFromFingerprint(fingerprint(fields)).replaceAll('-', '');
        expect(bytes.toString('hex')).toBe(`ff${digits}ff`);
      }),
    );
  });
});
