import { hash } from 'node:crypto';

/** `ck_<prefix>_<secret>`: the prefix names the key in logs and answers, the secret is 256 random bits. */
export const API_KEY_PATTERN = /^ck_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$/;
/** The public part of a key, which names it in logs and answers. */
export const API_KEY_PREFIX_PATTERN = /^[a-z0-9]{8}$/;
/** Lowercase hexadecimal SHA-256 of the whole key. */
export const API_KEY_HASH_PATTERN = /^[0-9a-f]{64}$/;

const SECRET_BYTES = 32;
const PREFIX_CHARACTERS = 8;
/** Random bytes that `mintApiKey` consumes: the secret and, independent of it, the prefix. */
export const API_KEY_RANDOM_BYTES = SECRET_BYTES + PREFIX_CHARACTERS;
const PREFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A new API key, its prefix (8 characters) and its SHA-256 in hexadecimal. */
export interface MintedApiKey {
  /** Shown to its owner a single time. It is in no topic, table or log. */
  readonly key: string;
  readonly prefix: string;
  readonly hash: string;
}

/**
 * A new API key from fresh randomness, e.g. `mintApiKey(randomBytes(API_KEY_RANDOM_BYTES))`. The process that
 * shows the key mints it, so that the key itself is never sent: only `prefix` and `hash` are.
 */
export function mintApiKey(random: Uint8Array): MintedApiKey {
  if (random.length !== API_KEY_RANDOM_BYTES) {
    throw new RangeError(`An API key takes ${API_KEY_RANDOM_BYTES} random bytes, not ${random.length}.`);
  }
  const secret = Buffer.from(random.subarray(0, SECRET_BYTES)).toString('base64url');
  const prefix = Array.from(random.subarray(SECRET_BYTES), (byte) =>
    PREFIX_ALPHABET.charAt(byte % PREFIX_ALPHABET.length),
  ).join('');
  const key = `ck_${prefix}_${secret}`;
  return { key, prefix, hash: apiKeyHash(key) };
}

/**
 * What is stored and looked up instead of the key. 256 random bits need no salt and no slow hash.
 * @param encoding of its 32 bytes: `binary` is a character for each
 */
export function apiKeyHash(key: string, encoding: 'hex' | 'binary' = 'hex'): string {
  return hash('sha256', key, encoding);
}

/** The part of a well-formed key that may be named in logs and answers. */
export function apiKeyPrefix(key: string): string {
  return key.slice(PREFIX_START, PREFIX_START + PREFIX_CHARACTERS);
}

const PREFIX_START = 'ck_'.length;
