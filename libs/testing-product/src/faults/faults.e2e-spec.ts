import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/contracts/management';
import {
  eventually,
  type LocalKafka,
  type LocalPostgres,
  removePostgresData,
  request,
  startKafka,
  startPostgres,
} from '@truetally/testing';
import pg from 'pg';
import { launchProduct, type LaunchedProduct } from '../index.js';
import { ClientLoad } from './client-load.js';
import { ShopLoad } from './shop-load.js';
import { WebhookLoad } from './webhook-load.js';

const CLIENTS = 12;
const SOME_EVENTS = 300;
/** Of the Node client; 100,000 once by hand (docs/benchmarks/2026-11-25.md). */
const CLIENT_EVENTS = Number(process.env['CLIENT_EVENTS'] ?? 20_000);
const CLIENT_EVENTS_PER_FAULT = 4_000;
const REACHES_LOOPBACK = { ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' };

let folder: string;
let kafka: LocalKafka;
let postgres: LocalPostgres;
let product: LaunchedProduct;
let apiKey: string;
let site: SiteResource;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truetally-faults-'));
  [kafka, postgres] = await Promise.all([
    startKafka({ dataDir: join(folder, 'kafka') }),
    startPostgres({ dataDir: join(folder, 'postgres'), user: 'postgres', password: 'postgres' }),
  ]);
  const stack = { kafkaBrokers: kafka.brokers, databaseUrl: postgres.url };
  product = await launchProduct({
    stack,
    services: ['management', 'gateway', 'ingestion', 'outbound'],
    replicas: { ingestion: 2, gateway: 2 },
    env: { gateway: REACHES_LOOPBACK, outbound: REACHES_LOOPBACK },
  });
  site = await product.createSite();
  apiKey = (await product.createApiKey(site)).key;
});

afterAll(async () => {
  await product.stop();
  await kafka.stop();
  await postgres.stop();
  await removePostgresData(postgres.dataDir);
  await rm(folder, { recursive: true, force: true });
});

function newLoad(): ShopLoad {
  return new ShopLoad(() => product.gateways.map(({ baseUrl }) => baseUrl), apiKey, CLIENTS);
}

async function moreEvents(load: ShopLoad): Promise<void> {
  const before = load.answered;
  await eventually(() => load.answered >= before + SOME_EVENTS, {
    message: () =>
      `${SOME_EVENTS} more answers; unexpected so far: ${load.unexpected.slice(0, 3).join('; ')}`,
  });
}

interface Row {
  readonly client_event_id: string;
  readonly event_id: string;
  readonly received_at: Date;
}

/**
 * The product's guarantee: an answered event is stored, exactly once, and was reported as new at most once.
 */
async function expectEachAnswerTrue(load: ShopLoad): Promise<void> {
  expect(load.unexpected).toEqual([]);
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(
      `select client_event_id, event_id, received_at from ${product.schema('ingestion')}.events
       where client_event_id = any($1)`,
      [[...load.told.keys()]],
    );
    expect(rows).toHaveLength(load.told.size);
    const stored = new Map(rows.map((row) => [row.client_event_id, row]));
    const untrue = [...load.told].filter(([id, told]) => {
      const row = stored.get(id);
      const isOneTruth = told.eventIds.size === 1 && told.timestamps.size === 1 && told.timesNew <= 1;
      return (
        row === undefined ||
        !isOneTruth ||
        !told.eventIds.has(row.event_id) ||
        !told.timestamps.has(row.received_at.toISOString())
      );
    });
    expect(untrue).toEqual([]);
  } finally {
    await client.end();
  }
}

function firstOf(service: 'management' | 'outbound'): Pick<LocalKafka, 'kill' | 'restart'> {
  const [first] = product.processes(service);
  if (first === undefined) throw new Error(`No ${service} runs.`);
  return first;
}

async function restart(process: Pick<LocalKafka, 'kill' | 'restart'>): Promise<void> {
  await process.kill('SIGKILL');
  await process.restart();
}

async function storedOf(ids: readonly string[]): Promise<object | undefined> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<object>(
      `select count(*)::int as rows, count(distinct client_event_id)::int as distinct
       from ${product.schema('ingestion')}.events where client_event_id = any($1)`,
      [ids],
    );
    return rows[0];
  } finally {
    await client.end();
  }
}

/** The events of all deliveries, in the order in which they were queued. */
async function queuedEvents(): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ event_id: string }>(
      `select event_id from ${product.schema('outbound')}.deliveries order by sequence`,
    );
    return rows.map((row) => row.event_id);
  } finally {
    await client.end();
  }
}

interface Reconciliation {
  readonly items: readonly { readonly balanced: boolean; readonly rows: number; readonly stored: number }[];
}

describe('the whole product under faults, as its clients see it', () => {
  it('ingestion killed with SIGKILL in the middle of load, and a third replica joining', async () => {
    const load = newLoad();
    await moreEvents(load);
    await product.processes('ingestion')[0]?.kill('SIGKILL');
    await moreEvents(load);
    await product.add('ingestion');
    await moreEvents(load);
    await product.processes('ingestion')[0]?.restart();
    await moreEvents(load);
    await load.stop();
    await expectEachAnswerTrue(load);
  });

  it('a gateway killed with SIGKILL: its clients use another, and no answer is wrong', async () => {
    const load = newLoad();
    await moreEvents(load);
    await product.gateways[0]?.kill('SIGKILL');
    await moreEvents(load);
    await product.gateways[0]?.restart();
    await moreEvents(load);
    await load.stop();
    await expectEachAnswerTrue(load);
  });

  it('the broker killed with SIGKILL and restarted', async () => {
    const load = newLoad();
    await moreEvents(load);
    await kafka.kill('SIGKILL');
    await kafka.restart();
    await moreEvents(load);
    await load.stop();
    await expectEachAnswerTrue(load);
  });

  it('Postgres killed with SIGKILL and restarted', async () => {
    const load = newLoad();
    await moreEvents(load);
    await postgres.kill('SIGKILL');
    await postgres.restart();
    await moreEvents(load);
    await load.stop();
    await expectEachAnswerTrue(load);
  });

  it('events of the Node client are stored once each while gateway, services and stores are killed', async () => {
    const load = new ClientLoad(product.gateway.baseUrl, apiKey, CLIENT_EVENTS);
    const faults = [
      () => restart(product.gateway),
      () => restart(kafka),
      () => restart(postgres),
      async () => {
        for (const replica of [...product.processes('ingestion')]) await restart(replica);
      },
    ];
    for (let settled = CLIENT_EVENTS_PER_FAULT; settled < CLIENT_EVENTS; settled += CLIENT_EVENTS_PER_FAULT) {
      await load.until(settled);
      await faults[(settled / CLIENT_EVENTS_PER_FAULT - 1) % faults.length]?.();
    }
    await load.finished;
    expect(load.outcomes.failed).toBe(0);
    expect(load.outcomes.stored + load.outcomes.duplicate).toBe(CLIENT_EVENTS);
    expect(await storedOf(load.ids)).toEqual({ rows: CLIENT_EVENTS, distinct: CLIENT_EVENTS });
  });

  it('a webhook of every event arrives, in the order in which its session was queued, while sender, management and stores are killed', async () => {
    const load = await WebhookLoad.begin(product, site);
    const faults = [
      () => restart(firstOf('outbound')),
      () => restart(kafka),
      () => restart(firstOf('management')),
      () => restart(postgres),
    ];
    for (const fault of faults) {
      await load.more();
      await fault();
    }
    await load.more();
    await load.stop();
    expect(load.missing()).toEqual([]);
    expect(load.arrived()).toEqual(load.inOrderOf(await queuedEvents()));
  });

  it('the whole product has received = stored + deduplicated + failed, and stored equals the table', async () => {
    const url = `${product.adminUrl}/reconciliation?site_id=${site.id}`;
    const headers = { authorization: `Bearer ${product.adminSecret}` };
    const { status, body } = await request<Reconciliation>(url, { headers });
    expect(status).toBe(200);
    expect(body.data?.items.length).toBeGreaterThan(0);
    expect(body.data?.items.filter((item) => !item.balanced || item.rows !== item.stored)).toEqual([]);
  });
});
