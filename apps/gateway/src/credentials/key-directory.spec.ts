import { hash, randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { SCOPES } from '@truetally/contracts/credentials';
import { KeyDirectory } from './key-directory.js';

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

describe('the directory of API keys', () => {
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
