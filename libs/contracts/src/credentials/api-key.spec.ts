import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  API_KEY_HASH_PATTERN,
  API_KEY_PATTERN,
  API_KEY_PREFIX_PATTERN,
  API_KEY_RANDOM_BYTES,
  apiKeyHash,
  apiKeyPrefix,
  mintApiKey,
} from './index.js';

describe('mintApiKey', () => {
  const randomness = fc.uint8Array({ minLength: API_KEY_RANDOM_BYTES, maxLength: API_KEY_RANDOM_BYTES });

  it('makes keys of the documented form, with all 256 bits of the secret in them', () => {
    fc.assert(
      fc.property(randomness, (random) => {
        const { key, prefix, hash } = mintApiKey(random);
        expect(key).toMatch(API_KEY_PATTERN);
        expect(prefix).toMatch(API_KEY_PREFIX_PATTERN);
        expect(hash).toMatch(API_KEY_HASH_PATTERN);
        expect(key.slice(3, 11)).toBe(prefix);
        expect(Uint8Array.from(Buffer.from(key.slice(12), 'base64url'))).toEqual(random.slice(0, 32));
        expect(hash).toBe(createHash('sha256').update(key).digest('hex'));
        expect(apiKeyHash(key)).toBe(hash);
        expect(Buffer.from(apiKeyHash(key, 'binary'), 'latin1').toString('hex')).toBe(hash);
        expect(apiKeyPrefix(key)).toBe(prefix);
      }),
    );
  });

  it('refuses fewer random bytes than it needs', () => {
    expect(() => mintApiKey(new Uint8Array(32))).toThrow('An API key takes 40 random bytes, not 32.');
  });
});
