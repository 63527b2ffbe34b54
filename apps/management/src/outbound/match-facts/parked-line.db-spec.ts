import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkflowRecord } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import type { ReceivedFact } from '@truetally/messaging';
import type { Repetition } from '@truetally/platform';
import { eventually } from '@truetally/testing';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type pg from 'pg';
import { explain } from '../../testing/explain.js';
import { type CompiledWorkflow, WorkflowIndex } from '../domain/workflow-index.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';
import { markDeleted } from '../storage/queue.store.js';
import { nextInLine, storeParked, takeOldest } from '../storage/parked-fact.store.js';
import { deliveryErasureOfPerson } from '../storage/person-erasure.js';
import { outboundErasure } from '../storage/site-erasure.js';
import { FactMatcher } from './match-facts.js';
import { matchFactsInLine } from './parked-line.js';

const AT = '2026-02-01T00:00:00.000Z';

let database: ServiceDatabase;
let owner: pg.Pool;
let pool: pg.Pool;
let index: WorkflowIndex;
let matcher: FactMatcher;
let changed: (workflow: CompiledWorkflow) => void;
const lines: Repetition[] = [];

beforeAll(async () => {
  database = await openServiceDatabase({ name: 'outbound', migrations: MIGRATIONS });
  owner = database.owner;
  pool = database.openPool(4);
});

afterEach(async () => {
  await Promise.all(lines.splice(0).map((line) => line.close()));
});

afterAll(() => database.close());

beforeEach(async () => {
  await owner.query('truncate parked_facts');
  index = new WorkflowIndex();
  matcher = matcherOf(index);
});

/** A process that knows these workflows. */
function matcherOf(known: WorkflowIndex): FactMatcher {
  const directory = { index: known, whenChanged: (listener: typeof changed) => (changed = listener) };
  const nothing = (): void => undefined;
  return new FactMatcher({ pool, directory, log: {} as never, onStored: nothing, onParked: nothing });
}

function knownAs(
  workflowId: string | undefined,
  change: Partial<WorkflowRecord>,
  where = index,
): CompiledWorkflow {
  const record = index.get(workflowId ?? '');
  if (record === undefined) throw new Error('It is known.');
  return where.set({ ...record, ...change });
}

/** A shop of a workspace of its own. */
function shopWith(workflows: number): { siteId: string; workspaceId: string; workflowIds: string[] } {
  const [siteId, workspaceId] = [randomUUID(), randomUUID()];
  const workflowIds = Array.from({ length: workflows }, () => randomUUID());
  for (const id of workflowIds) {
    const record: WorkflowRecord = {
      ...{ workflow_id: id, workspace_id: workspaceId, site_id: siteId, enabled: true },
      ...{ event_types: ['purchase'], match: 'all', conditions: [], url: 'https://crm.example/' },
      ...{ secret: { key_id: 'k', sealed: '' }, former_secrets: [], version: 1 },
      ...{ effective_from: '2026-01-31T00:00:00.000Z', updated_at: '2026-01-31T00:00:00.000Z' },
    };
    index.set(record);
  }
  return { siteId, workspaceId, workflowIds };
}

function purchase(siteId: string, n = 0, session = 'session', note = '', at = AT): ReceivedFact {
  const value = JSON.stringify({
    ...{
      event_id: randomUUID(),
      site_id: siteId,
      event_type: 'purchase',
      session_id: session,
      user_id: null,
    },
    ...{ client_event_id: null, occurred_at: at, received_at: at, trust: 'server', is_bot: false },
    ...{ properties: { n, note }, context: {} },
  });
  const topic = TOPICS.eventsStored.name;
  return { topic, partition: 0, offset: '0', key: siteId, value, headers: {}, timestampMs: Date.parse(at) };
}

function purchases(siteId: string, count: number, from = 0): readonly ReceivedFact[] {
  return Array.from({ length: count }, (_, n) => purchase(siteId, from + n));
}

/** What is to be delivered to a workflow, in the order of its sending. */
async function deliveredTo(workflowId: string | undefined): Promise<readonly number[]> {
  const { rows } = await owner.query<{ n: number }>(
    `select (body::json->'data'->'properties'->>'n')::int as n from deliveries join facts using (site_id, fact_key)
     where workflow_id = $1 order by sequence`,
    [workflowId],
  );
  return rows.map(({ n }) => n);
}

async function inLine(siteId: string): Promise<number> {
  const { rowCount } = await owner.query('select from parked_facts where site_id = $1', [siteId]);
  return rowCount ?? 0;
}

function startLine(by: FactMatcher, log: object): Repetition {
  const line = matchFactsInLine({ pool, matcher: by, log: log as never, onStored: () => undefined });
  lines.push(line);
  line.wake();
  return line;
}

async function storeAll(): Promise<readonly string[]> {
  const turns: string[] = [];
  for (let next = await nextInLine(pool); next !== undefined; next = await nextInLine(pool, next)) {
    await storeParked(pool, next, (fact) => matcher.matchParked(fact));
    turns.push(next);
  }
  return turns;
}

describe('facts that trigger more than a call may store', () => {
  it('a fact that is published again when its deliveries are forgotten is not delivered once more', async () => {
    const { siteId, workflowIds } = shopWith(1);
    const fact = purchase(siteId, 7);
    const after = (days: number) => ({ ...fact, timestampMs: fact.timestampMs + days * 86_400_000 });
    await matcher.take([after(30)]);
    expect(await deliveredTo(workflowIds[0])).toEqual([]);
    await matcher.take([after(28), after(29)]);
    expect(await deliveredTo(workflowIds[0])).toEqual([7]);
  });

  it('a fact that is published again is for workflows as they were when it came, and for none that was changed since', async () => {
    const { siteId, workflowIds } = shopWith(2);
    const fact = purchase(siteId, 7);
    knownAs(workflowIds[1], { updated_at: new Date(fact.timestampMs + 1).toISOString() });
    await matcher.take([{ ...fact, timestampMs: fact.timestampMs + 86_400_000 }]);
    expect(await Promise.all(workflowIds.map(deliveredTo))).toEqual([[7], []]);
    await matcher.take([fact]);
    expect(await Promise.all(workflowIds.map(deliveredTo))).toEqual([[7], [7]]);
  });

  it('a workspace whose events trigger hundreds of workflows waits in line, and another one of the same call does not', async () => {
    const [heavy, light] = [shopWith(200), shopWith(1)];
    await matcher.take([...purchases(heavy.siteId, 30), purchase(light.siteId, 7)]);
    expect(await deliveredTo(light.workflowIds[0])).toEqual([7]);
    expect(await inLine(heavy.siteId)).toBe(30);
    expect(new Set(await storeAll())).toEqual(new Set([heavy.workspaceId]));
    const delivered = await Promise.all([0, 199].map((n) => deliveredTo(heavy.workflowIds[n])));
    const all = Array.from({ length: 30 }, (_, n) => n);
    expect(delivered).toEqual([all, all]);
  });

  it('facts of a workspace in line come after those that wait, and at once again when none does', async () => {
    const shop = shopWith(2);
    await matcher.take(purchases(shop.siteId, 501));
    await matcher.take([purchase(shop.siteId, 501)]);
    expect(await inLine(shop.siteId)).toBe(502);
    await storeAll();
    await matcher.take([purchase(shop.siteId, 502)]);
    expect(await deliveredTo(shop.workflowIds[1])).toEqual(Array.from({ length: 503 }, (_, n) => n));
  });

  it('workspaces in line take turns, and a fact that is told again is delivered once', async () => {
    const [first, second] = [shopWith(200), shopWith(200)];
    const told = [...purchases(first.siteId, 8), ...purchases(second.siteId, 8)];
    await matcher.take(told);
    await matcher.take(told);
    const turns = await storeAll();
    expect(turns).toEqual(turns.map((_, n) => turns[n % 2]));
    expect(new Set(turns)).toEqual(new Set([first.workspaceId, second.workspaceId]));
    expect(await deliveredTo(second.workflowIds[0])).toHaveLength(8);
  });

  it('two processes that store what waits keep its order', async () => {
    const shop = shopWith(100);
    await matcher.take(purchases(shop.siteId, 60));
    for (const log of [{}, {}]) startLine(matcher, log);
    await eventually(async () => (await inLine(shop.siteId)) === 0);
    await Promise.all(lines.map((line) => line.close()));
    expect(await deliveredTo(shop.workflowIds[50])).toEqual(Array.from({ length: 60 }, (_, n) => n));
  });

  it('a piece of a shop that has the whole line is taken without reading the rest of it', async () => {
    const id = randomUUID();
    await owner.query(
      `insert into parked_facts (workspace_id, site_id, subject, topic, value, workflow_ids, versions, cost)
       select $1, $1, 'subject', 'topic', repeat('x', 1900), '{}', '{}', 20 from generate_series(1, 5000)`,
      [id],
    );
    await owner.query('analyze parked_facts');
    const plan = await explain({ pool, reader: undefined as never }, (client) => takeOldest(client, id));
    expect(plan.mostRows).toBeLessThanOrEqual(1_000);
  });

  it('what waits for a workflow that is deleted meanwhile is not delivered', async () => {
    const shop = shopWith(200);
    await matcher.take(purchases(shop.siteId, 6));
    await markDeleted(pool, shop.workflowIds[0] ?? '');
    await storeAll();
    const delivered = await Promise.all([0, 1].map((n) => deliveredTo(shop.workflowIds[n])));
    expect(delivered.map(({ length }) => length)).toEqual([0, 6]);
  });

  it('what waits is delivered by a workflow that is disabled and enabled again meanwhile, and not by one of other types', async () => {
    const shop = shopWith(200);
    await matcher.take(purchases(shop.siteId, 6));
    const later = '2026-02-02T00:00:00.000Z';
    knownAs(shop.workflowIds[0], { version: 3, updated_at: later, effective_from: later });
    knownAs(shop.workflowIds[1], { version: 2, updated_at: later, event_types: ['custom'] });
    await storeAll();
    const delivered = await Promise.all([0, 1, 2].map((n) => deliveredTo(shop.workflowIds[n])));
    expect(delivered.map(({ length }) => length)).toEqual([6, 0, 6]);
  });

  it('what came before a workflow was enabled does not wait for it', async () => {
    const shop = shopWith(200);
    const later = '2026-02-02T00:00:00.000Z';
    knownAs(shop.workflowIds[0], { effective_from: later });
    await matcher.take([...purchases(shop.siteId, 6), purchase(shop.siteId, 6, 'session', '', later)]);
    await storeAll();
    expect(await deliveredTo(shop.workflowIds[0])).toEqual([6]);
  });

  it('what waits is left to a process that knows its workflows, and keeps nobody else waiting', async () => {
    const [shop, other] = [shopWith(200), shopWith(200)];
    await matcher.take([...purchases(shop.siteId, 6), ...purchases(other.siteId, 6)]);
    const behind = new WorkflowIndex();
    for (const id of [...shop.workflowIds.slice(1), ...other.workflowIds]) knownAs(id, {}, behind);
    const told: unknown[] = [];
    const line = startLine(matcherOf(behind), { warn: (given: unknown) => told.push(given) });
    await eventually(async () => (await inLine(other.siteId)) === 0);
    await eventually(() => told.length > 0);
    expect(await inLine(shop.siteId)).toBe(6);
    knownAs(shop.workflowIds[0], {}, behind);
    line.wake();
    await eventually(async () => (await inLine(shop.siteId)) === 0);
    await line.close();
    expect(await deliveredTo(shop.workflowIds[0])).toHaveLength(6);
  });

  it('what waits is not matched with a former version of a workflow', async () => {
    const shop = shopWith(200);
    const behind = new WorkflowIndex();
    for (const id of shop.workflowIds) knownAs(id, {}, behind);
    knownAs(shop.workflowIds[0], { event_types: ['custom'] }, behind);
    knownAs(shop.workflowIds[0], { version: 2 });
    await matcher.take(purchases(shop.siteId, 6));
    const former = matcherOf(behind);
    const stored = storeParked(pool, shop.workspaceId, (fact) => former.matchParked(fact));
    await expect(stored).rejects.toThrow('not known here yet');
    await owner.query("update parked_facts set parked_at = now() - interval '11 minutes'");
    await storeParked(pool, shop.workspaceId, (fact) => former.matchParked(fact));
    expect(await inLine(shop.siteId)).toBeLessThan(6);
  });

  it('facts that a change of a workflow was too late for come after those that wait', async () => {
    const shop = shopWith(200);
    const later = '2026-02-02T00:00:00.000Z';
    const last = purchase(shop.siteId, 6, 'session', '', later);
    await matcher.take([...purchases(shop.siteId, 6), last]);
    changed(knownAs(shop.workflowIds[0], { version: 2, updated_at: later }));
    // In turn: what the change has to do is done by then.
    await matcher.take([]);
    await storeAll();
    expect(await deliveredTo(shop.workflowIds[0])).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('however large the events of a call are, a transaction has few MiB of bodies, and none of them is lost', async () => {
    const shop = shopWith(2);
    const note = 'x'.repeat(50_000);
    await matcher.take(Array.from({ length: 160 }, () => purchase(shop.siteId, 0, 'session', note)));
    await storeAll();
    const { rows } = await owner.query<{ deliveries: number; bytes: number }>(
      `select count(*)::integer as deliveries, sum(length(body))::integer / 2 as bytes
       from deliveries join facts using (site_id, fact_key) where site_id = $1 group by deliveries.xmin::text`,
      [shop.siteId],
    );
    expect(rows.reduce((sum, { deliveries }) => sum + deliveries, 0)).toBe(320);
    expect(Math.max(...rows.map(({ bytes }) => bytes))).toBeLessThan(5 * 1_024 * 1_024);
  });

  it('what waits of a person, and of a site, is erased with them', async () => {
    const shop = shopWith(200);
    await matcher.take([...purchases(shop.siteId, 6), purchase(shop.siteId, 9, 'another')]);
    const step = { name: randomUUID(), jobId: randomUUID(), erasureId: randomUUID(), siteId: shop.siteId };
    const subjects = { sessionIds: ['session'], clickIds: [] };
    const asked = { ...step, userId: null, subjects, cursor: null } as never;
    expect(await deliveryErasureOfPerson(pool).step(asked)).toMatchObject({ done: 6, cursor: null });
    expect(await inLine(shop.siteId)).toBe(1);
    let cursor: string | null = null;
    do {
      ({ cursor } = await outboundErasure(pool).step(randomUUID(), shop.siteId, cursor));
    } while (cursor !== null);
    expect(await inLine(shop.siteId)).toBe(0);
    await matcher.take(purchases(shop.siteId, 6));
    expect(await inLine(shop.siteId)).toBe(0);
  });
});
