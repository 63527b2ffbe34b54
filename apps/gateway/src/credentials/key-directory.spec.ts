import { hash, randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { SCOPES } from '@truetally/contracts/credentials';
import { KeyDirectory, type KnownKey } from './key-directory.js';

const KEYS = 100_000;
const SITES = 1_000;
const MAX_HEAP_MIB = 90;
const BYTES_PER_MIB = 1_048_576;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMib(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / BYTES_PER_MIB;
}

const keyOf = (siteId: string): KnownKey => {
  const keyId = randomUUID();
  return {
    keyId,
    siteId,
    hash: hash('sha256', keyId, 'hex'),
    prefix: `ck_${keyId.slice(0, 8)}`,
    scopes: ['analytics:read'],
    expiresAtMs: 1_000,
    isRevoked: false,
    limitId: keyId,
    perHour: 1_000,
    incarnation: 1,
    version: 1,
  };
};

describe('the directory of API keys', () => {
  it('a key stands for a scope until it loses it, expires or is revoked', () => {
    const directory = new KeyDirectory();
    const key = keyOf('site');
    const standing = (nowMs = 0) => directory.standing(key.keyId, 'analytics:read', nowMs);
    directory.put(key);
    expect([standing(), standing(1_000)]).toEqual(['valid', 'expired']);
    directory.put({ ...key, version: 2, scopes: ['events:write'] });
    expect(standing()).toBe('gone');
    directory.put({ ...key, version: 3 });
    expect(standing()).toBe('valid');
    directory.put({ ...key, version: 4, isRevoked: true });
    expect(standing()).toBe('gone');
  });

  it('keys that are forgotten leave nothing of their sites behind', () => {
    const directory = new KeyDirectory();
    const before = heapMib();
    for (let n = 0; n < KEYS; n += 1) {
      const key = keyOf(randomUUID());
      directory.put(key);
      directory.forget(key.keyId);
    }
    expect(heapMib() - before).toBeLessThan(5);
    expect([...directory.keys()]).toEqual([]);
  });

  it(`keeps ${KEYS} keys in at most ${MAX_HEAP_MIB} MiB (docs/decisions/api-keys.md)`, () => {
    const siteIds = Array.from({ length: SITES }, () => randomUUID());
    const before = heapMib();
    const directory = new KeyDirectory();
    for (let n = 0; n < KEYS; n += 1) {
      const keyId = randomUUID();
      directory.put({
        keyId,
        siteId: siteIds[n % SITES] ?? keyId,
        hash: hash('sha256', keyId, 'hex'),
        prefix: `ck_${keyId.slice(0, 8)}`,
        scopes: SCOPES.slice(0, 1 + (n % SCOPES.length)),
        expiresAtMs: Infinity,
        isRevoked: false,
        limitId: randomUUID(),
        perHour: 1_000,
        incarnation: Date.now(),
        version: 1,
      });
    }
    expect(heapMib() - before).toBeLessThanOrEqual(MAX_HEAP_MIB);
    expect([...directory.keys()]).toHaveLength(KEYS);
  });
});
