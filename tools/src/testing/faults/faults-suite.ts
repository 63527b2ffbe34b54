import { beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/contracts/management';
import type { ServiceName } from '@truetally/contracts/services';
import { type LocalKafka, type LocalPostgres, type LocalService, request } from '@truetally/testing';
import pg from 'pg';
import { type Environment, type LaunchedProduct, ShopLoad } from '@truetally/testing-product';
import type { Arena } from '../../lab/chaos/arena.js';
import { ClientLoad } from './client-load.js';
import { WebhookLoad } from './webhook-load.js';

const CLIENTS = 6;
/** Two requests of each client. */
const SOME_EVENTS = 36;
const SOME_OF_CLIENT = 15;
const REACHES_LOOPBACK = { ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' };

/** Of the product's services: the receiver of webhooks is on this machine. */
export const FAULTS_NEED: Partial<Record<ServiceName, Environment>> = {
  gateway: REACHES_LOOPBACK,
  outbound: REACHES_LOOPBACK,
};
/** Killed by these tests. */
export const FAULTS_KILL: readonly ServiceName[] = ['management', 'outbound'];

let kafka: LocalKafka;
let postgres: LocalPostgres;
let product: LaunchedProduct;
let site: SiteResource;
/** All of them during all faults. */
let shops: ShopLoad;
let backend: ClientLoad;
let webhooks: WebhookLoad;

/** Of each kind. */
async function moreOfAll(): Promise<void> {
  await Promise.all([shops.more(SOME_EVENTS), backend.more(SOME_OF_CLIENT), webhooks.more()]);
}

interface Row {
  readonly client_event_id: string;
  readonly event_id: string;
  readonly received_at: Date;
}

/**
 * The product's guarantee: an answered event is stored, exactly once, and was reported as new at most once.
 */
async function expectEachAnswerTrue(): Promise<void> {
  expect(shops.unexpected).toEqual([]);
  const answered = [...shops.told];
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(
      `select client_event_id, event_id, received_at from ${product.schema('ingestion')}.events
       where client_event_id = any($1)`,
      [answered.map(([id]) => id)],
    );
    expect(rows).toHaveLength(answered.length);
    const stored = new Map(rows.map((row) => [row.client_event_id, row]));
    const untrue = answered.filter(([id, told]) => {
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

function firstOf(service: ServiceName): LocalService {
  const [first] = product.processes(service);
  if (first === undefined) throw new Error(`No ${service} runs.`);
  return first;
}

/** Kills it as soon as the first of all requests that the shops send now is answered. */
async function restart(process: Pick<LocalKafka, 'kill' | 'restart'>): Promise<void> {
  await shops.more(1);
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

/**
 * Needs two gateways and two replicas of ingestion; leaves as many.
 * @param whileAllAreAsked begins a fault while every service has requests, and expects that nothing of them is lost
 */
export function whatClientsSeeOfFaults(
  arena: () => Arena,
  whileAllAreAsked: (fault: () => Promise<void>) => Promise<void>,
): void {
  describe('the whole product under faults, as its clients see it', () => {
    beforeAll(async () => {
      ({ product, postgres } = arena());
      const [broker] = arena().kafka;
      if (broker === undefined) throw new Error('There is no broker.');
      kafka = broker;
      site = await product.createSite();
      const { key } = await product.createApiKey(site);
      shops = new ShopLoad(() => product.gateways.map(({ baseUrl }) => baseUrl), key, CLIENTS);
      backend = new ClientLoad(product.gateway.baseUrl, key);
      webhooks = await WebhookLoad.begin(product, site);
    });

    it('the sender of webhooks, then management, killed with SIGKILL', async () => {
      await moreOfAll();
      const sender = firstOf('outbound');
      await sender.kill('SIGKILL');
      await webhooks.moreSent();
      await sender.restart();
      await restart(firstOf('management'));
      await moreOfAll();
      await expectEachAnswerTrue();
    });

    it('ingestion killed with SIGKILL in the middle of load, and a third replica joining', async () => {
      const killed = firstOf('ingestion');
      await shops.more(1);
      await killed.kill('SIGKILL');
      await shops.more(SOME_EVENTS);
      product.forget(killed);
      await product.add('ingestion');
      await moreOfAll();
      await expectEachAnswerTrue();
    });

    it('a gateway killed with SIGKILL: its clients use another, and no answer is wrong', async () => {
      await shops.more(1);
      await product.gateway.kill('SIGKILL');
      await shops.more(SOME_EVENTS);
      await product.gateway.restart();
      await moreOfAll();
      await expectEachAnswerTrue();
    });

    it('the broker killed with SIGKILL and restarted', async () => {
      await whileAllAreAsked(() => restart(kafka));
      await moreOfAll();
      await expectEachAnswerTrue();
    });

    it('Postgres killed with SIGKILL and restarted', async () => {
      await restart(postgres);
      await moreOfAll();
      await shops.stop();
      await expectEachAnswerTrue();
    });

    it('events of the Node client are stored once each while gateway, services and stores are killed', async () => {
      await backend.stop();
      const { stored, duplicate, failed } = backend.outcomes;
      const count = backend.ids.length;
      expect([failed, stored + duplicate]).toEqual([0, count]);
      expect(await storedOf(backend.ids)).toEqual({ rows: count, distinct: count });
    });

    it('a webhook of every event arrives, in the order in which its session was queued, while sender, management and stores are killed', async () => {
      await webhooks.stop();
      expect(webhooks.missing()).toEqual([]);
      expect(webhooks.arrived()).toEqual(webhooks.inOrderOf(await queuedEvents()));
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
}
