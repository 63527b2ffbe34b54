import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { IntegrationProvider } from '@truetally/contracts/management';
import { newResource } from '@truetally/contracts/resource';
import { inTransaction } from '@truetally/persistence';
import { ManagementReplicas } from '../testing/management-replicas.js';
import { insertIntegration } from './integration.store.js';
import { insertJob } from './job.store.js';
import { isAnyPullDue, storeSync, takeDueIntegrations } from './pull.store.js';

const INTERVALS = { networkSeconds: 3_600, feedSeconds: 21_600 };

let replicas: ManagementReplicas;

beforeAll(async () => {
  replicas = await ManagementReplicas.start();
});

afterAll(() => replicas.stop());

async function integrationOf(
  { workspaceId, siteId }: { workspaceId: string; siteId: string },
  provider: IntegrationProvider,
): Promise<string> {
  const id = randomUUID();
  const integration = {
    ...newResource(id, Date.now()),
    site_id: siteId,
    provider,
    base_url: provider === 'product_feed' ? 'https://shop.example/feed.xml' : null,
    status: 'pending' as const,
    last_sync_at: null,
    last_error: null,
  };
  const sealed = { key_id: 'k', sealed: 'AAAA' };
  await inTransaction(replicas.pool, (client) => insertIntegration(client, workspaceId, integration, sealed));
  return id;
}

const takeDue = () => inTransaction(replicas.pool, (client) => takeDueIntegrations(client, INTERVALS, 10));

it('a network is due at once and each hour, a feed a minute later and each six hours, by its provider', async () => {
  const workspaceId = (await replicas.makeWorkspace()).id;
  const siteId = (await replicas.makeSite(workspaceId)).id;
  await replicas.owner.query("update sites set publisher_mode = 'active' where site_id = $1", [siteId]);
  const network = await integrationOf({ workspaceId, siteId }, 'awin');
  const feed = await integrationOf({ workspaceId, siteId }, 'product_feed');
  expect(await takeDue()).toEqual([{ id: network, provider: 'awin', siteId, workspaceId }]);
  expect([await isAnyPullDue(replicas.pool), await takeDue()]).toEqual([false, []]);
  await replicas.owner.query('update integrations set next_pull_at = clock_timestamp()');
  expect(await isAnyPullDue(replicas.pool)).toBe(true);
  const due = await takeDue();
  expect(due.map(({ id }) => id).toSorted()).toEqual([network, feed].toSorted());
  const { rows } = await replicas.owner.query<{ id: string; hours: number }>(
    `select id, round(extract(epoch from next_pull_at - clock_timestamp()) / 3600)::integer as hours from integrations`,
  );
  expect(new Map(rows.map(({ id, hours }) => [id, hours]))).toEqual(
    new Map([
      [network, 1],
      [feed, 6],
    ]),
  );
});

it('settings that are changed during a pull keep no outcome of the former ones, and are tried a minute after it at most', async () => {
  const workspaceId = (await replicas.makeWorkspace()).id;
  const siteId = (await replicas.makeSite(workspaceId)).id;
  await replicas.owner.query("update sites set publisher_mode = 'active' where site_id = $1", [siteId]);
  const id = await integrationOf({ workspaceId, siteId }, 'awin');
  const known = async () => {
    const { rows } = await replicas.owner.query<Readonly<Record<string, unknown>>>(
      `select status, last_error, next_pull_at <= clock_timestamp() + interval '1 minute' as is_soon
       from integrations where id = $1`,
      [id],
    );
    return rows[0];
  };
  const tell = (version: number, outcome: 'refused' | 'synced') =>
    storeSync(replicas.pool, {
      integration_id: id,
      version,
      outcome,
      error: 'no',
      at: '2026-01-31T00:00:00.000Z',
    });
  expect(await takeDue()).toMatchObject([{ id }]);
  const jobId = randomUUID();
  await inTransaction(replicas.pool, (client) =>
    insertJob(client, {
      ...{ jobId, workspaceId, siteId, type: 'settlements.pull', total: 0, createdAtMs: Date.now() },
      ...{ startedBy: { sub: null, key_id: null }, startedByName: null, params: { integration_ids: [id] } },
    }),
  );
  await replicas.owner.query(
    `update integrations set version = 2, status = 'pending', next_pull_at = clock_timestamp() where id = $1`,
    [id],
  );
  for (const outcome of ['refused', 'synced'] as const) await tell(1, outcome);
  expect(await takeDue()).toEqual([]);
  expect(await known()).toEqual({ status: 'pending', last_error: null, is_soon: true });
  await tell(2, 'synced');
  await replicas.owner.query('update integrations set next_pull_at = clock_timestamp() where id = $1', [id]);
  expect(await takeDue()).toEqual([]);
  expect(await known()).toEqual({ status: 'connected', last_error: null, is_soon: false });
});

it('pulls that fail pause for twice as long each time, up to a day, and go on as before after one that succeeds', async () => {
  const workspaceId = (await replicas.makeWorkspace()).id;
  const siteId = (await replicas.makeSite(workspaceId)).id;
  await replicas.owner.query("update sites set publisher_mode = 'active' where site_id = $1", [siteId]);
  const id = await integrationOf({ workspaceId, siteId }, 'cj');
  const hoursAfter = async (outcome: 'refused' | 'synced' | 'unreachable'): Promise<number | undefined> => {
    await storeSync(replicas.pool, {
      integration_id: id,
      outcome,
      error: 'down',
      at: new Date().toISOString(),
    });
    await replicas.owner.query('update integrations set next_pull_at = clock_timestamp() where id = $1', [
      id,
    ]);
    await takeDue();
    const { rows } = await replicas.owner.query<{ hours: number }>(
      `select round(extract(epoch from next_pull_at - clock_timestamp()) / 3600)::integer as hours
       from integrations where id = $1`,
      [id],
    );
    return rows[0]?.hours;
  };
  expect(await hoursAfter('unreachable')).toBe(1);
  const pauses = [];
  for (let failures = 1; failures <= 6; failures += 1) pauses.push(await hoursAfter('refused'));
  expect(pauses).toEqual([2, 4, 8, 16, 24, 24]);
  expect(await hoursAfter('synced')).toBe(1);
});
