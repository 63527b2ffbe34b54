import { API_KEY_PATTERN, apiKeyHash, apiKeyPrefix } from '@truetally/contracts/credentials';
import type { HourlyLimit } from '../limits/hourly-limit.js';
import { GoneIds } from './gone-ids.js';

/** What a `credentials.v1` fact says of a key. */
export interface KnownKey {
  readonly keyId: string;
  readonly siteId: string;
  /** SHA-256 of the whole key, lower-case hex; the key itself is never kept. */
  readonly hash: string;
  readonly scopes: readonly string[];
  /** Infinity for a key without an end. */
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
  /** What its hourly limit is counted against. */
  readonly limitId: string;
  readonly perHour: number;
  readonly version: number;
}

/** A key that may be used. */
export interface ApiKey {
  readonly keyId: string;
  /** Names it in logs and answers. */
  readonly prefix: string;
  readonly siteId: string;
  readonly scopes: ReadonlySet<string>;
  readonly limit: HourlyLimit;
}

/**
 * A key as it is kept, a hundred thousand times: scopes and sites are shared, the hash is 32 bytes of text, and the limit
 * is put together for whoever asks.
 */
interface StoredKey extends Omit<ApiKey, 'limit' | 'prefix'> {
  readonly limitId: string;
  readonly perHour: number;
  readonly hash: string;
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
  readonly version: number;
}

/**
 * Every API key's record in memory, found by the key's hash; fed from the compacted topic `credentials.v1`. What is older
 * than what it knows is passed over: a fact out of order must not undo a revocation (docs/decisions/outbox.md).
 */
export class KeyDirectory {
  private readonly byHash = new Map<string, StoredKey>();
  private readonly byId = new Map<string, StoredKey>();
  /** By their names in order: there are few combinations, and a set for each key would cost more than all else. */
  private readonly scopeSets = new Map<string, ReadonlySet<string>>();
  private readonly siteIds = new Map<string, string>();
  private readonly gone = new GoneIds();

  put(key: KnownKey): void {
    if (this.gone.has(key.keyId) || (this.byId.get(key.keyId)?.version ?? 0) > key.version) return;
    this.forget(key.keyId);
    const hash = Buffer.from(key.hash, 'hex').toString('latin1');
    const { keyId, expiresAtMs, isRevoked, limitId, perHour, version } = key;
    const scopes = this.scopesOf(key.scopes);
    const siteId = this.siteIdOf(key.siteId);
    const stored = { keyId, siteId, hash, scopes, limitId, perHour, expiresAtMs, isRevoked, version };
    this.byId.set(keyId, stored);
    this.byHash.set(hash, stored);
  }

  /** The topic says that it is gone, for good. */
  remove(keyId: string): void {
    this.gone.add(keyId);
    this.forget(keyId);
  }

  /** Until the topic speaks of it again. */
  forget(keyId: string): void {
    const key = this.byId.get(keyId);
    if (key === undefined) return;
    this.byId.delete(keyId);
    if (this.byHash.get(key.hash) === key) this.byHash.delete(key.hash);
  }

  /** Of all that it knows. */
  keys(): Iterable<string> {
    return this.byId.keys();
  }

  /** The record of a key that lives now. The hash makes the comparison's time say nothing about any key. */
  find(text: string, nowMs: number): ApiKey | undefined {
    if (!API_KEY_PATTERN.test(text)) return undefined;
    const key = this.byHash.get(Buffer.from(apiKeyHash(text), 'hex').toString('latin1'));
    if (key === undefined || key.isRevoked || nowMs >= key.expiresAtMs) return undefined;
    const { keyId, siteId, scopes, limitId, perHour } = key;
    const prefix = apiKeyPrefix(text);
    return { keyId, prefix, siteId, scopes, limit: { subject: `key:${limitId}`, perHour } };
  }

  /** Whether it has heard of this version of the key, or of a later one. */
  isKnown(keyId: string, version: number): boolean {
    return (this.byId.get(keyId)?.version ?? 0) >= version;
  }

  /** Whether it knows the key, and has not heard of its revocation. */
  isLive(keyId: string): boolean {
    return this.byId.get(keyId)?.isRevoked === false;
  }

  private scopesOf(names: readonly string[]): ReadonlySet<string> {
    const name = names.toSorted().join(' ');
    const known = this.scopeSets.get(name) ?? new Set(names);
    this.scopeSets.set(name, known);
    return known;
  }

  private siteIdOf(siteId: string): string {
    const known = this.siteIds.get(siteId) ?? siteId;
    this.siteIds.set(known, known);
    return known;
  }
}
