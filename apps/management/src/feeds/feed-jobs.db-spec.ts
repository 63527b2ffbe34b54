import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newResource } from '@truetally/contracts/resource';
import { inTransaction } from '@truetally/persistence';
import { eventually } from '@truetally/testing';
import type { ClientBase } from 'pg';
import { discontinue, type FeedPlace, noteNamed } from '../storage/feed-items.store.js';
import { insertIntegration, storeIntegration } from '../storage/integration.store.js';
import { insertJob } from '../storage/job.store.js';
import { upsertProducts } from '../storage/product.store.js';
import { ManagementReplicas } from '../testing/management-replicas.js';
import { beginFeedRun } from './begin-feed-run.js';
import { FEED_JOBS } from './feed-jobs.js';
import { storeFeedRows } from './store-feed-rows.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

const SEALED = { key_id: 'k', sealed: 'AAAA' };

const feedOf = (siteId: string, url: string) => ({
  ...newResource(randomUUID(), Date.now()),
  site_id: siteId,
  provider: 'product_feed' as const,
  base_url: url,
  status: 'pending' as const,
  last_sync_at: null,
  last_error: null,
});

const run = <T>(work: (client: ClientBase) => Promise<T>) => inTransaction(replicas.pool, work);

it('a feed whose settings are changed while it is read is read again by the new ones, and what the former ones led to ends there', async () => {
  const workspaceId = (await replicas.makeWorkspace()).id;
  const siteId = (await replicas.makeSite(workspaceId)).id;
  const [integration, jobId] = [feedOf(siteId, 'https://shop.example/former.xml'), randomUUID()];
  const { id } = integration;
  const started = { startedBy: { sub: null, key_id: null }, startedByName: null, createdAtMs: Date.now() };
  const job = { jobId, workspaceId, siteId, type: 'products.sync', total: 0, ...started };
  await run(async (client) => {
    await insertIntegration(client, workspaceId, integration, SEALED);
    await insertJob(client, { ...job, params: { site_id: siteId, integration_ids: [id] } });
  });
  const ids = { job_id: jobId, integration_id: id };
  const begin = (runId: string) => run((client) => beginFeedRun(client, { ...ids, run_id: runId }));
  const store = (runId: string, sequence: number, productId: string) => {
    const product = { product_id: productId, title: productId, availability: 'in_stock', attributes: {} };
    const rows = [{ row: sequence, product, faults: [] }];
    const last = { is_last: sequence === 2, etag: null, last_modified: null };
    return run((client) => storeFeedRows(client, { ...ids, run_id: runId, sequence, rows, ...last }));
  };
  const [former, later] = [randomUUID(), randomUUID()];
  expect(await begin(former)).toMatchObject({ ok: { url: integration.base_url } });
  expect(await store(former, 1, 'a')).toMatchObject({ ok: { stored: 1 } });
  const changed = { ...integration, base_url: 'https://shop.example/right.xml', version: 2 };
  await run((client) => storeIntegration(client, changed, undefined));
  expect(await store(former, 2, 'b')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  const [reading, finishing] =
    FEED_JOBS['products.sync']?.plan({
      ...{ jobId, workspaceId, holder: workspaceId, params: { integration_ids: [id] } },
    }) ?? [];
  const told = async () => {
    const { rows } = await replicas.owner.query<object>(
      'select status, last_error from integrations where id = $1',
      [id],
    );
    return rows[0];
  };
  await run(async (client) => {
    if (reading?.place === 'elsewhere') await reading.refused?.(client, 'The former address is gone.');
    if (finishing?.place === 'here') await finishing.run(client, null);
  });
  expect(await told()).toEqual({ status: 'pending', last_error: null });
  expect(await begin(later)).toMatchObject({ ok: { url: changed.base_url } });
  expect([await store(later, 1, 'a'), await store(later, 2, 'c')]).toMatchObject([{ ok: {} }, { ok: {} }]);
  await run(async (client) => {
    if (finishing?.place === 'here') await finishing.run(client, null);
  });
  expect(await told()).toEqual({ status: 'connected', last_error: null });
});

/** A product of a site, and the feeds that have named it. */
async function namedProduct() {
  const workspaceId = (await replicas.makeWorkspace()).id;
  const site = await replicas.makeSite(workspaceId);
  const feed = async (url: string): Promise<FeedPlace> => {
    const integration = feedOf(site.id, url);
    await run((client) => insertIntegration(client, workspaceId, integration, SEALED));
    return { siteId: site.id, integrationId: integration.id };
  };
  const feeds = [
    await feed('https://shop.example/one.xml'),
    await feed('https://shop.example/other.xml'),
  ] as const;
  const [productId, row, now] = ['a', 1, new Date().toISOString()];
  /** As by a row that breaks a rule. */
  const mentioned = (client: ClientBase, by: FeedPlace) =>
    noteNamed(client, by, randomUUID(), [{ productId, row }]);
  const named = async (client: ClientBase, by: FeedPlace): Promise<void> => {
    const fields = { title: 'A', url: null, image_url: null, price: null, currency: null };
    const product = { product_id: productId, ...fields, availability: 'in_stock', attributes: {} } as const;
    await mentioned(client, by);
    await upsertProducts(client, site, [product], now);
  };
  for (const by of feeds) await run((client) => named(client, by));
  return {
    feeds,
    named,
    mentioned,
    leftOut: (client: ClientBase, by: FeedPlace) => discontinue(client, by, [productId], now),
    availability: async () => {
      const { rows } = await replicas.owner.query<{ availability: string }>(
        'select availability from products where site_id = $1',
        [site.id],
      );
      return rows[0]?.availability;
    },
  };
}

/** Begins a transaction while another one is open, which goes on when the later one waits for it, or has ended. */
async function atOnce(
  work: (client: ClientBase) => Promise<void>,
  later: (client: ClientBase) => Promise<void>,
): Promise<void> {
  let ended: Promise<void> | undefined;
  await run(async (client) => {
    await work(client);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    ended = run(later);
    const isWaitedFor = `${rows[0]?.pid} = any(pg_blocking_pids(pid))`;
    const waits = eventually(async () => (await replicas.count('pg_stat_activity', isWaitedFor)) > 0);
    await Promise.race([ended, waits]);
  });
  await ended;
}

it('a product that two feeds name no longer at the same time is discontinued', async () => {
  const {
    feeds: [one, other],
    leftOut,
    availability,
  } = await namedProduct();
  await atOnce(
    (client) => leftOut(client, one),
    (client) => leftOut(client, other),
  );
  expect(await availability()).toBe('discontinued');
});

it('a product that one feed names no longer is discontinued although a deleted feed has named it', async () => {
  const {
    feeds: [one, deleted],
    leftOut,
    availability,
  } = await namedProduct();
  await replicas.owner.query('delete from integrations where id = $1', [deleted.integrationId]);
  await run((client) => leftOut(client, one));
  expect(await availability()).toBe('discontinued');
});

it('a product that one feed names no longer while another one names it anew stays as it is', async () => {
  const {
    feeds: [one, other],
    named,
    leftOut,
    availability,
  } = await namedProduct();
  await run((client) => leftOut(client, other));
  await atOnce(
    (client) => named(client, other),
    (client) => leftOut(client, one),
  );
  expect(await availability()).toBe('in_stock');
});

it('a product that a faulty row names while another feed names it no longer stays as it is', async () => {
  const {
    feeds: [one, other],
    mentioned,
    leftOut,
    availability,
  } = await namedProduct();
  await run((client) => leftOut(client, one));
  await atOnce(
    (client) => mentioned(client, one),
    (client) => leftOut(client, other),
  );
  expect(await availability()).toBe('in_stock');
});

it('a product that rows of a feed name can be stored by others until the feed stores it in its turn', async () => {
  const {
    feeds: [one, other],
    mentioned,
    named,
  } = await namedProduct();
  await run(async (client) => {
    await mentioned(client, one);
    await run(async (another) => {
      await another.query(`set local lock_timeout = '1 s'`);
      await named(another, other);
    });
  });
});
