import { API_KEY_PATTERN, apiKeyHash } from '@truetally/contracts/credentials';
import { compareRevisions, type Revision } from '@truetally/kernel';
import type { HourlyLimit } from '../limits/hourly-limit.js';
import { GoneIds } from './gone-ids.js';

/** The content of a `credentials.v1` fact. */
export interface KnownKey extends Revision {
  readonly keyId: string;
  readonly siteId: string;
  /** SHA-256 of the whole key, lower-case hex; the key itself is never stored. */
  readonly hash: string;
  /** Its name in logs and answers. */
  readonly prefix: string;
  readonly scopes: readonly string[];
  /** Infinity for a key that does not expire. */
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
  /** Key of its hourly limit. */
  readonly limitId: string;
  readonly perHour: number;
}

/** A valid key. */
export interface ApiKey {
  readonly keyId: string;
  /** Its name in logs and answers. */
  readonly prefix: string;
  readonly siteId: string;
  readonly scopes: ReadonlySet<string>;
  readonly limit: HourlyLimit;
}

/**
 * The compact form of a key, of which there are a hundred thousand: scopes and sites are shared, the hash is
 * 32 bytes of text, and the limit object is created on demand.
 */
interface StoredKey extends Omit<ApiKey, 'limit'>, Revision {
  readonly limitId: string;
  readonly perHour: number;
  readonly hash: string;
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
}

/**
 * Every API key's record in memory, by the key's hash, from the compacted topic `credentials.v1`. Older
 * revisions than the known one are ignored: a late fact must not undo a revocation (docs/decisions/outbox.md).
 */
export class KeyDirectory {
  private readonly byHash = new Map<string, StoredKey>();
  private readonly byId = new Map<string, StoredKey>();
  /**
   * By their sorted names: there are few combinations, and a set per key would cost more than everything
   * else.
   */
  private readonly scopeSets = new Map<string, ReadonlySet<string>>();
  private readonly sites = new Map<string, { readonly id: string; keys: number }>();
  private readonly gone = new GoneIds();

  put(key: KnownKey): void {
    if (this.gone.has(key.keyId, key.incarnation)) return;
    const known = this.byId.get(key.keyId);
    if (known !== undefined && compareRevisions(known, key) > 0) return;
    this.forget(key.keyId);
    const hash = Buffer.from(key.hash, 'hex').toString('latin1');
    const { keyId, prefix, expiresAtMs, isRevoked, limitId, perHour, incarnation, version } = key;
    const scopes = this.scopesOf(key.scopes);
    const siteId = this.siteIdOf(key.siteId);
    const revision = { incarnation, version };
    const limit = { limitId, perHour };
    const stored = { keyId, prefix, siteId, hash, scopes, ...limit, expiresAtMs, isRevoked, ...revision };
    this.byId.set(keyId, stored);
    this.byHash.set(hash, stored);
  }

  /** The topic has deleted it. */
  remove(keyId: string, incarnation: number): void {
    if ((this.byId.get(keyId)?.incarnation ?? 0) > incarnation) return;
    this.gone.add(keyId, incarnation);
    this.forget(keyId);
  }

  /** Forgets it until the topic contains it again. */
  forget(keyId: string): void {
    const key = this.byId.get(keyId);
    if (key === undefined) return;
    this.byId.delete(keyId);
    const site = this.sites.get(key.siteId);
    if (site !== undefined && (site.keys -= 1) === 0) this.sites.delete(site.id);
    if (this.byHash.get(key.hash) === key) this.byHash.delete(key.hash);
  }

  /** Keys of all known API keys. */
  keys(): Iterable<string> {
    return this.byId.keys();
  }

  /** The record of a valid key. Looking up a hash reveals nothing about keys by timing. */
  find(text: string, nowMs: number): ApiKey | undefined {
    const key = this.lookUp(text);
    return key === undefined || !isInForce(key, nowMs) ? undefined : apiKeyOf(key);
  }

  /** The site of a key of ours, also of one that is revoked or has expired. */
  siteOf(text: string): string | undefined {
    return this.lookUp(text)?.siteId;
  }

  /** The site's keys that are in force, by prefix. Reads every key: some milliseconds for a hundred thousand. */
  inForceOf(siteId: string, nowMs: number): readonly ApiKey[] {
    const keys: ApiKey[] = [];
    for (const key of this.byId.values()) {
      if (key.siteId === siteId && isInForce(key, nowMs)) keys.push(apiKeyOf(key));
    }
    return keys.sort((a, b) => (a.prefix < b.prefix ? -1 : 1));
  }

  /** Whether this version of the key, or a later one, is known. */
  isKnown(keyId: string, version: number): boolean {
    return (this.byId.get(keyId)?.version ?? 0) >= version;
  }

  /** What has become of a key that was valid and had a scope, which a change may have taken from it. */
  standing(keyId: string, scope: string, nowMs: number): 'expired' | 'gone' | 'valid' {
    const key = this.byId.get(keyId);
    if (key === undefined || key.isRevoked || !key.scopes.has(scope)) return 'gone';
    return nowMs >= key.expiresAtMs ? 'expired' : 'valid';
  }

  /** Whether the key is known and not revoked. */
  isLive(keyId: string): boolean {
    return this.byId.get(keyId)?.isRevoked === false;
  }

  private lookUp(text: string): StoredKey | undefined {
    if (!API_KEY_PATTERN.test(text)) return undefined;
    return this.byHash.get(apiKeyHash(text, 'binary'));
  }

  private scopesOf(names: readonly string[]): ReadonlySet<string> {
    const name = names.toSorted().join(' ');
    const known = this.scopeSets.get(name) ?? new Set(names);
    this.scopeSets.set(name, known);
    return known;
  }

  /** The one text of a site's id, for as long as it has keys. */
  private siteIdOf(siteId: string): string {
    const site = this.sites.get(siteId) ?? { id: siteId, keys: 0 };
    site.keys += 1;
    this.sites.set(site.id, site);
    return site.id;
  }
}

function isInForce({ isRevoked, expiresAtMs }: StoredKey, nowMs: number): boolean {
  return !isRevoked && nowMs < expiresAtMs;
}

function apiKeyOf({ keyId, prefix, siteId, scopes, limitId, perHour }: StoredKey): ApiKey {
  return { keyId, prefix, siteId, scopes, limit: { subject: `key:${limitId}`, perHour } };
}
