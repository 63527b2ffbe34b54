import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newResource } from '@truetally/contracts/resource';
import { inTransaction } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { insertIntegration, storeIntegration } from '../storage/integration.store.js';
import { insertJob } from '../storage/job.store.js';
import { ManagementReplicas } from '../testing/management-replicas.js';
import { beginFeedRun } from './begin-feed-run.js';
import { FEED_JOBS } from './feed-jobs.js';
import { storeFeedRows } from './store-feed-rows.js';

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

const run = <T>(work: (client: ClientBase) => Promise<T>) => inTransaction(replicas.pool, work);

it('a feed whose settings are changed while it is read is read again by the new ones, and what the former ones led to ends there', async () => {
  const workspaceId = (await replicas.makeWorkspace()).id;
  const siteId = (await replicas.makeSite(workspaceId)).id;
  const [id, jobId] = [randomUUID(), randomUUID()];
  const integration = {
    ...newResource(id, Date.now()),
    site_id: siteId,
    provider: 'product_feed' as const,
    base_url: 'https://shop.example/former.xml',
    status: 'pending' as const,
    last_sync_at: null,
    last_error: null,
  };
  const started = { startedBy: { sub: null, key_id: null }, startedByName: null, createdAtMs: Date.now() };
  const job = { jobId, workspaceId, siteId, type: 'products.sync', total: 0, ...started };
  await run(async (client) => {
    await insertIntegration(client, workspaceId, integration, { key_id: 'k', sealed: 'AAAA' });
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
