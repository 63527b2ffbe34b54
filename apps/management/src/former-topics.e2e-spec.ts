import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MANAGEMENT, type WorkspaceResource } from '@truetally/contracts/management';
import { formerTopicsOf } from '@truetally/contracts/services';
import { OPERATIONS } from '@truetally/contracts/topics';
import { createTestDatabase, eventually, ownerPool, type TestDatabase } from '@truetally/testing';
import type pg from 'pg';
import { accepted, ManagementService } from './testing/service.js';

let database: TestDatabase;
let owner: pg.Pool;
let management: ManagementService;

beforeAll(async () => {
  database = await createTestDatabase('management');
  owner = ownerPool(database, 1);
  management = await ManagementService.prepare(database);
});

afterAll(async () => {
  await management.close();
  await owner.end();
  await database.drop();
});

async function count(table: string): Promise<number> {
  const { rows } = await owner.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return rows[0]?.n ?? Number.NaN;
}

const formerly = (operation: keyof typeof OPERATIONS): string => {
  const former = formerTopicsOf(MANAGEMENT).find(({ address }) => address === OPERATIONS[operation]);
  if (former === undefined) throw new Error(`${operation} never had a topic of its own`);
  return former.name;
};

const MADE = [formerly('createWorkspace'), formerly('putProducts'), formerly('listSites')];

async function endOf(topic: string): Promise<number> {
  const { messaging } = management;
  const [end] = await messaging.administer((admin) => admin.fetchTopicOffsets(messaging.prefixed(topic)));
  return Number(end?.high);
}

const workspaceNamed = (name: string): object => ({ name, actor: 'auth0|owner' });

it('what an older gateway has asked is executed once, and answered, when this release starts', async () => {
  expect(formerly('createWorkspace')).toBe('management.create-workspace');
  await management.messaging.ensureTopics(MADE.map((name) => ({ name, partitions: 1 })));
  const correlationId = randomUUID();
  const asked = [
    management.askAt(formerly('createWorkspace'), 'a', workspaceNamed('Asked before'), correlationId),
    management.askAt(formerly('createWorkspace'), 'b', workspaceNamed('Asked before too')),
  ];
  await eventually(async () => (await endOf(formerly('createWorkspace'))) === asked.length);
  // Two replicas, as in a rollout: the partition moves while its messages are in hand.
  await Promise.all([management.addReplica(), management.addReplica()]);
  const [first, second] = (await Promise.all(asked)).map((reply) => accepted<WorkspaceResource>(reply));
  expect(first).toMatchObject({ name: 'Asked before' });
  expect(second).toMatchObject({ name: 'Asked before too' });
  expect(await count('workspaces')).toBe(2);

  // Repeated by the client through a newer gateway, and by the older one: the same answer, and nothing new.
  const repeated = [
    await management.ask('createWorkspace', 'c', workspaceNamed('Asked before'), correlationId),
    await management.askAt(formerly('createWorkspace'), 'd', workspaceNamed('Asked before'), correlationId),
  ];
  expect(repeated).toEqual([{ ok: first }, { ok: first }]);
  expect(await count('workspaces')).toBe(2);
  expect(await count('dead_letters')).toBe(0);
});

it('answers older gateways and newer ones beside each other', async () => {
  const workspace = await management.makeWorkspace();
  const site = await management.makeSite(workspace.id);
  const list = { workspace_id: workspace.id, actor: null, params: {}, filters: {}, limit: 10, cursor: null };
  const listed = [formerly('listSites'), OPERATIONS.listSites].map((to) =>
    management.client.ask({ to, key: workspace.id, value: JSON.stringify(list), kind: 'query' }),
  );
  for (const page of await Promise.all(listed))
    expect(page).toMatchObject({ ok: { items: [{ id: site.id }] } });

  const item = { product_id: 'sku-1', title: 'Shoe', url: 'https://shop.example/shoe' };
  const put = { workspace_id: workspace.id, body: { site_id: site.id, products: [item] } };
  expect(await management.askAt(formerly('putProducts'), site.id, put)).toEqual({
    ok: { created: 1, updated: 0 },
  });
  expect(await management.ask('putProducts', site.id, put)).toEqual({ ok: { created: 0, updated: 1 } });
});

it('makes none of the former topics that an installation does not have', async () => {
  const names = (await management.messaging.topics()).map(({ name }) => name);
  const former = formerTopicsOf(MANAGEMENT).map(({ name }) => name);
  expect(former.filter((name) => names.includes(name)).toSorted()).toEqual(MADE.toSorted());
});
