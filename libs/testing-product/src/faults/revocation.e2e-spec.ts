import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SiteResource } from '@truetally/contracts/management';
import {
  eventually,
  type FaultyLink,
  type LocalService,
  openFaultyLink,
  openKafkaLink,
  untilDependenciesAnswer,
} from '@truetally/testing';
import pg from 'pg';
import {
  type CreatedApiKey,
  isKeyKnown,
  launchProduct,
  type LaunchedProduct,
  serviceEnvironment,
} from '../index.js';

let product: LaunchedProduct;
let owner: pg.Client;
let kafka: FaultyLink;
let postgres: FaultyLink;
let site: SiteResource;
/** Behind its own links; the only replica, until a test adds another. */
let first: LocalService;

beforeAll(async () => {
  product = await launchProduct({ services: ['gateway'] });
  const { installation } = product;
  const url = new URL(serviceEnvironment(installation, 'management')['DATABASE_URL'] ?? '');
  kafka = await openKafkaLink(installation.kafkaBrokers);
  postgres = await openFaultyLink(url.host);
  url.host = postgres.address;
  first = await product.add('management', { KAFKA_BROKERS: kafka.address, DATABASE_URL: url.href });
  owner = new pg.Client({ connectionString: installation.databaseUrl });
  await owner.connect();
  site = await product.createSite();
});

afterAll(async () => {
  mendLinks();
  await owner.end();
  await product.stop();
  await Promise.all([kafka.close(), postgres.close()]);
});

function mendLinks(): void {
  kafka.resume();
  postgres.resume();
}

const relayLock = () => `hashtext('${product.schema('management')}.outbox-relay')`;

/**
 * The first replica's relay holds the lock and has begun to publish the valid key; then its link is blocked.
 */
async function inTheMiddleOfPublishing(key: CreatedApiKey): Promise<void> {
  await owner.query(`select pg_advisory_lock(${relayLock()})`);
  const scope = { workspace_id: site.workspace_id, site_id: site.id };
  await product.asks.updateApiKey({ ...scope, key_id: key.id, name: 'Renamed' });
  kafka.stall();
  await owner.query(`select pg_advisory_unlock(${relayLock()})`);
  await eventually(async () => {
    const { rowCount } = await owner.query(
      `select from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and granted and objid = ${relayLock()}::bigint & 4294967295
         and state = 'idle in transaction'`,
    );
    return rowCount === 1;
  });
}

async function revoke(key: CreatedApiKey): Promise<void> {
  const scope = { workspace_id: site.workspace_id, site_id: site.id };
  await product.asks.revokeApiKey({ ...scope, key_id: key.id });
}

const untilRefused = (key: CreatedApiKey, baseUrl = product.baseUrl) =>
  eventually(async () => !(await isKeyKnown(baseUrl, key.key)), { message: 'the revoked key to be refused' });

/** Facts of a later change have arrived, and therefore all earlier ones. */
async function afterLaterFacts(): Promise<void> {
  await untilDependenciesAnswer(first);
  await product.createApiKey(site);
}

describe('a key is revoked while a management replica is in the middle of telling that it lives', () => {
  it('cut off from Kafka and Postgres: the key is refused, also when the network returns', async () => {
    const key = await product.createApiKey(site);
    await inTheMiddleOfPublishing(key);
    postgres.stall();
    await product.add('management');
    await revoke(key);
    await untilRefused(key);
    mendLinks();
    await afterLaterFacts();
    expect(await isKeyKnown(product.baseUrl, key.key)).toBe(false);
    const later = await product.addGateway();
    expect(await isKeyKnown(later.baseUrl, key.key)).toBe(false);
  });

  it('stopped: the key is refused while it is stopped, and when it continues', async () => {
    for (const replica of product.processes('management')) {
      const key = await product.createApiKey(site);
      const scope = { workspace_id: site.workspace_id, site_id: site.id };
      const changes = Array.from({ length: 20 }, (_, n) =>
        product.asks.updateApiKey({ ...scope, key_id: key.id, name: `Changed ${n}` }),
      );
      for (const change of changes) change.catch(() => undefined);
      await Promise.any(changes);
      await replica.kill('SIGSTOP');
      await revoke(key);
      await Promise.all(product.gateways.map(({ baseUrl }) => untilRefused(key, baseUrl)));
      await replica.kill('SIGCONT');
      // Requests after the revocation were refused.
      await Promise.allSettled(changes);
      await afterLaterFacts();
      for (const { baseUrl } of product.gateways) expect(await isKeyKnown(baseUrl, key.key)).toBe(false);
    }
  });
});
