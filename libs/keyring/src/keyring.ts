import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';
import { fail, fingerprint, type Result, succeed } from '@truetally/kernel';
import { type KeyringContent } from './keyring-content.js';

/** A value that only a holder of the keyring can read. */
export interface Sealed {
  readonly keyId: string;
  /** Nonce (12 bytes), ciphertext, tag (16 bytes). */
  readonly sealed: Buffer;
}

/** Why a sealed value cannot be opened: its key is not in the keyring, or its content or context was changed. */
export type OpenFault = 'unknown-key' | 'not-authentic';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
/** Drawn at once: a draw costs as much as the encryption of a short value, whatever its size. */
const DRAWN_NONCES = 256;
const TAG_BYTES = 16;
/** Prefix of every context and matched field. A new way of sealing gets a new format. */
const SEAL_FORMAT = 'truetally.seal.1';
const MATCH_FORMAT = 'truetally.match.1';

/**
 * Seals with one key and opens with several (AES-256-GCM), and computes the keyed hash that matches equal
 * values (HMAC-SHA-256). No field that a log line or debugger would print holds a key.
 */
export class Keyring {
  readonly currentKeyId: string;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #current: KeyObject;
  readonly #matching: KeyObject;
  readonly #nonces = Buffer.alloc(DRAWN_NONCES * NONCE_BYTES);
  #usedNonceBytes = DRAWN_NONCES * NONCE_BYTES;

  /** @param content as `parseKeyring` returned it */
  constructor(content: KeyringContent) {
    this.currentKeyId = content.current;
    this.#keys = new Map(Object.entries(content.keys).map(([id, key]) => [id, secretOf(key)]));
    const current = this.#keys.get(content.current);
    if (current === undefined) throw new Error('A keyring has its current key.');
    this.#current = current;
    this.#matching = secretOf(content.matching_key);
  }

  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /**
   * @param context the owner of the value, its kind first. Opening requires the same context, so that a
   * sealed value that was copied to another row is not accepted there
   */
  seal(plain: string, context: readonly string[]): Sealed {
    const nonce = this.#freshNonce();
    const cipher = createCipheriv(ALGORITHM, this.#current, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(bound(this.currentKeyId, context));
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return { keyId: this.currentKeyId, sealed };
  }

  open({ keyId, sealed }: Sealed, context: readonly string[]): Result<string, OpenFault> {
    const key = this.#keys.get(keyId);
    if (key === undefined) return fail('unknown-key');
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return fail('not-authentic');
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(bound(keyId, context)).setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(NONCE_BYTES, end));
    try {
      return succeed(Buffer.concat([plain, decipher.final()]).toString('utf8'));
    } catch {
      // Any change shows that the ciphertext is not the key holder's.
      return fail('not-authentic');
    }
  }

  /**
   * The keyed hash of a value: equal for equal fields, independent of the sealing key, and useless without
   * the keyring.
   * @returns 64 hexadecimal digits
   */
  match(fields: readonly string[]): string {
    return createHmac('sha256', this.#matching)
      .update(fingerprint([MATCH_FORMAT, ...fields]))
      .digest('hex');
  }

  /** Never given twice, which AES-GCM depends on. */
  #freshNonce(): Buffer {
    if (this.#usedNonceBytes === this.#nonces.length) {
      randomFillSync(this.#nonces);
      this.#usedNonceBytes = 0;
    }
    this.#usedNonceBytes += NONCE_BYTES;
    return this.#nonces.subarray(this.#usedNonceBytes - NONCE_BYTES, this.#usedNonceBytes);
  }

  /** Whether both compute the same keyed hashes. */
  matchesAs(other: Keyring): boolean {
    return this.#matching.equals(other.#matching);
  }
}

function secretOf(base64: string): KeyObject {
  return createSecretKey(base64, 'base64');
}

/** Length-prefixed and hashed: different contexts never give the same bytes. */
function bound(keyId: string, context: readonly string[]): Buffer {
  return fingerprint([SEAL_FORMAT, keyId, ...context]);
}
