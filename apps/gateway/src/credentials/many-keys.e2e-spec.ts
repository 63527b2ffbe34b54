import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hash, randomUUID } from 'node:crypto';
import { encodeCredentialRecord, SCOPES, TOPICS } from '@truetally/contracts';
import { Messaging } from '@truetally/messaging';
import { launchProduct, type LocalGateway, type Product } from '@truetally/testing-product';

const KEYS = 100_000;
const SITES = 1_000;
const MAX_MEMORY_MIB = 80;
const MAX_SECONDS = 5;
const KIB_PER_MIB = 1_024;
const MS_PER_SECOND = 1_000;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The promise of docs/decisions/api-keys.md, over a real topic and a real process. */
describe(`a gateway with ${KEYS} API keys`, () => {
  let product: Product;
  let messaging: Messaging;

  beforeAll(async () => {
    product = await launchProduct({ ingestionReplicas: 0, ledgerReplicas: 0 });
    const { kafkaBrokers, topicPrefix } = product.installation;
    const options = { clientId: 'test', instance: `test-${randomUUID()}`, topicPrefix, log: SILENT };
    messaging = new Messaging({ brokers: kafkaBrokers.split(','), ...options });
    await messaging.start();
  });

  afterAll(async () => {
    await messaging.close();
    await product.stop();
  });

  it(`knows them ${MAX_SECONDS} s after one without any, and takes at most ${MAX_MEMORY_MIB} MiB more`, async () => {
    const without = await started(product);
    const siteIds = Array.from({ length: SITES }, () => randomUUID());
    for (let from = 0; from < KEYS; from += SITES) {
      await messaging.publish(siteIds.map((siteId, n) => keyFact(siteId, from + n)));
    }
    const withKeys = await started(product);
    const seconds = (withKeys.ms - without.ms) / MS_PER_SECOND;
    const mib = withKeys.mib - without.mib;
    expect(mib).toBeLessThanOrEqual(MAX_MEMORY_MIB);
    expect(seconds).toBeLessThanOrEqual(MAX_SECONDS);
  });
});

async function started(product: Product): Promise<{ readonly ms: number; readonly mib: number }> {
  const startedMs = performance.now();
  const gateway = await product.addGateway();
  const ms = performance.now() - startedMs;
  return { ms, mib: residentMib(gateway) };
}

/** What the process has in memory. */
function residentMib({ pid }: LocalGateway): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / KIB_PER_MIB;
}

function keyFact(siteId: string, number: number) {
  const keyId = randomUUID();
  const value = encodeCredentialRecord({
    key_id: keyId,
    site_id: siteId,
    workspace_id: siteId,
    prefix: number.toString(36).padStart(8, '0'),
    hash: hash('sha256', keyId, 'hex'),
    scopes: SCOPES.slice(0, 1 + (number % SCOPES.length)),
    hourly_limit: 1_000,
    limit_id: randomUUID(),
    expires_at: null,
    revoked_at: null,
    version: 1,
  });
  return { topic: TOPICS.credentials.name, key: keyId, value };
}

function ignore(): void {
  // What this client logs says nothing about the gateway.
}
