import { API_KEY_PATTERN, apiKeyHash } from '@truetally/contracts';
import type { HourlyLimit } from './caller.js';

/** What the gateway keeps of a `credentials.v1` fact. */
export interface ApiKey {
  readonly keyId: string;
  readonly siteId: string;
  /** SHA-256 of the whole key, lower-case hex; the key itself is never kept. */
  readonly hash: string;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
  readonly limit: HourlyLimit;
}

/** Every API key's record in memory, found by the key's hash; fed from the compacted topic `credentials.v1`. */
export class KeyDirectory {
  private readonly byHash = new Map<string, ApiKey>();
  private readonly byId = new Map<string, ApiKey>();

  put(key: ApiKey): void {
    this.remove(key.keyId);
    this.byId.set(key.keyId, key);
    this.byHash.set(key.hash, key);
  }

  remove(keyId: string): void {
    const key = this.byId.get(keyId);
    if (key === undefined) return;
    this.byId.delete(keyId);
    if (this.byHash.get(key.hash) === key) this.byHash.delete(key.hash);
  }

  /** The record of a key that lives now. The hash makes the comparison's time say nothing about any key. */
  find(text: string, nowMs: number): ApiKey | undefined {
    if (!API_KEY_PATTERN.test(text)) return undefined;
    const key = this.byHash.get(apiKeyHash(text));
    return key === undefined || key.isRevoked || nowMs >= key.expiresAtMs ? undefined : key;
  }
}
