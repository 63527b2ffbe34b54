import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowRecord } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import type { ReceivedFact } from '@truetally/messaging';
import { inTransaction } from '@truetally/persistence';
import { eventually } from '@truetally/testing';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type pg from 'pg';
import { WorkflowDirectory } from '../definitions/workflow-directory.js';
import { type CompiledWorkflow, WorkflowIndex } from '../domain/workflow-index.js';
import { claimDue } from '../storage/claim.store.js';
import { pageOfDeliveries } from '../storage/delivery.store.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';
import {
  forgetDeletedWorkflows,
  markDeleted,
  type QueuedWorkflow,
  settleQueues,
} from '../storage/queue.store.js';
import { FactMatcher } from './match-facts.js';

const SITE = randomUUID();

/** What `pg` does not tell of a client. */
interface Connected {
  readonly connection: { readonly stream: { readonly bytesRead: number } };
}

let database: ServiceDatabase;
let owner: pg.Pool;
let pool: pg.Pool;

beforeAll(async () => {
  database = await openServiceDatabase({ name: 'outbound', migrations: MIGRATIONS });
  owner = database.owner;
  pool = database.openPool(4);
});

afterAll(() => database.close());

const settle = (workflows: readonly QueuedWorkflow[]): Promise<void> =>
  inTransaction(pool, (client) => settleQueues(client, workflows));

function workflow(): WorkflowRecord {
  return {
    workflow_id: randomUUID(),
    workspace_id: randomUUID(),
    site_id: SITE,
    enabled: true,
    event_types: ['purchase'],
    match: 'all',
    conditions: [],
    url: 'https://crm.example/',
    secret: { key_id: 'k', sealed: '' },
    former_secrets: [],
    version: 1,
    effective_from: '2026-01-31T00:00:00.000Z',
    updated_at: '2026-01-31T00:00:00.000Z',
  };
}

function purchase(
  siteId: string = SITE,
  properties: object = {},
  at = '2026-02-01T00:00:00.000Z',
): ReceivedFact {
  const event = {
    event_id: randomUUID(),
    site_id: siteId,
    event_type: 'purchase',
    session_id: 'session',
  };
  const value = JSON.stringify({
    ...event,
    user_id: null,
    client_event_id: null,
    occurred_at: at,
    received_at: at,
    trust: 'server',
    is_bot: false,
    properties,
    context: {},
  });
  const topic = TOPICS.eventsStored.name;
  return { topic, partition: 0, offset: '0', key: siteId, value, headers: {}, timestampMs: Date.parse(at) };
}

/** With an index that has no workflows yet, and what tells it of one. */
function newMatcher() {
  const index = new WorkflowIndex();
  let changed: (workflow: CompiledWorkflow) => void = () => undefined;
  const directory = { index, whenChanged: (listener: typeof changed) => (changed = listener) };
  const log = { error: (...told: unknown[]) => expect(told).toEqual([]) } as never;
  const matcher = new FactMatcher({
    pool,
    directory,
    log,
    onStored: () => undefined,
    onParked: () => undefined,
  });
  return { matcher, index, know: (record: WorkflowRecord) => changed(index.set(record)) };
}

async function deliveredTo(workflowId: string): Promise<number> {
  const { rowCount } = await owner.query('select from deliveries where workflow_id = $1', [workflowId]);
  return rowCount ?? 0;
}

describe('matching facts with workflows', () => {
  it('an event that came just before the first workflow of its site is delivered by it, and one of a browser is not', async () => {
    const { matcher, know } = newMatcher();
    const siteId = randomUUID();
    const written = String(purchase(siteId).value);
    const passed = [written, written.replace('"server"', '"browser"')].map((text) =>
      matcher.isPassed(Buffer.from(text)),
    );
    expect(passed).toEqual([true, true]);
    const late = { ...workflow(), site_id: siteId };
    know(late);
    await eventually(async () => (await deliveredTo(late.workflow_id)) === 1);
    expect(matcher.isPassed(Buffer.from(written))).toBe(false);
    await matcher.take([purchase(siteId)]);
    expect(await deliveredTo(late.workflow_id)).toBe(2);
  });

  it('deliveries of facts that are stored at once are listed as the facts came, the last one first', async () => {
    const { matcher, index } = newMatcher();
    const site = randomUUID();
    const { workflow_id: id } = index.set({ ...workflow(), site_id: site }).record;
    await matcher.take(Array.from({ length: 8 }, (_, n) => purchase(site, { n })));
    const query = { workspace_id: '', actor: null, params: {}, filters: {}, limit: 50, cursor: null };
    const page = await pageOfDeliveries(owner, query, id);
    const { rows } = await owner.query<{ id: string; n: number }>(
      `select delivery_id as id, (body::json->'data'->'properties'->>'n')::int as n
       from deliveries join facts using (site_id, fact_key) where workflow_id = $1`,
      [id],
    );
    const place = new Map(rows.map((row) => [row.id, row.n]));
    const listed = 'ok' in page ? page.ok.items : [];
    expect(listed.map((delivery) => place.get(delivery.id))).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('a workflow that becomes known while a fact is being stored for another one gets it, too', async () => {
    const { matcher, index, know } = newMatcher();
    const [first, second] = [workflow(), workflow()];
    index.set(first);
    const blocker = await owner.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table deliveries');
      const taken = matcher.take([purchase()]);
      await eventually(async () => (await database.countWaiting()) > 0);
      know(second);
      await blocker.query('commit');
      await taken;
    } finally {
      blocker.release();
    }
    await eventually(async () => {
      const delivered = await Promise.all([first, second].map((one) => deliveredTo(one.workflow_id)));
      return delivered.every((count) => count === 1);
    });
  });

  it('a change of a trigger is for events since then, however late it becomes known, and for none from before', async () => {
    const { matcher, index, know } = newMatcher();
    const before = { ...workflow(), event_types: ['custom'], site_id: randomUUID() };
    index.set(before);
    const [changed, since] = ['2026-02-01T00:00:20.000Z', '2026-02-01T00:00:21.000Z'];
    await matcher.take([purchase(before.site_id), purchase(before.site_id, {}, since)]);
    know({ ...before, event_types: ['purchase'], version: 2, updated_at: changed });
    // In turn: what the change has to do is done by then.
    await matcher.take([]);
    expect(await deliveredTo(before.workflow_id)).toBe(1);
  });

  it('a workflow that is disabled or deleted while its facts are being stored stays so, and none of them is sent', async () => {
    const { matcher, index } = newMatcher();
    const records = [0, 1, 2].map(() => index.set({ ...workflow(), site_id: randomUUID() }).record);
    const [kept, disabled, deleted] = records.map(({ workflow_id: id }): string | undefined => id);
    await settle(records);
    const blocker = await owner.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table queues');
      const taken = matcher.take(records.map(({ site_id: site }) => purchase(site)));
      await eventually(async () => {
        const { rows } = await owner.query(
          "select from pg_locks where not granted and mode = 'RowExclusiveLock'",
        );
        return rows.length > 0;
      });
      const changed = records.filter(({ workflow_id: id }) => id === disabled);
      await settleQueues(
        blocker,
        changed.map((record) => ({ ...record, enabled: false, version: 2 })),
      );
      await markDeleted(blocker, deleted ?? '');
      await blocker.query('commit');
      await taken;
    } finally {
      blocker.release();
    }
    const due = await claimDue(pool, { saturated: [], free: new Map(), freeByDefault: 8, limit: 500 });
    const sent = due.deliveries.map(({ workflowId }) => workflowId);
    expect(sent.filter((sentId) => [kept, disabled, deleted].includes(sentId))).toEqual([kept]);
    const { rows } = await owner.query(
      'select version, is_enabled, is_deleted from queues where workflow_id = any($1)',
      [[disabled, deleted]],
    );
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        { version: 2, is_enabled: false, is_deleted: false },
        { version: 1, is_enabled: false, is_deleted: true },
      ]),
    );
  });

  it('a workspace with more due workflows than a claim takes leaves room for another one', async () => {
    const { matcher, index } = newMatcher();
    const busy = { ...workflow(), site_id: randomUUID() };
    for (let count = 0; count < 150; count += 1) index.set({ ...busy, workflow_id: randomUUID() });
    await matcher.take([purchase(busy.site_id)]);
    const { workflow_id: id, site_id: site } = index.set({ ...workflow(), site_id: randomUUID() }).record;
    await matcher.take([purchase(site)]);
    const due = await claimDue(pool, { saturated: [], free: new Map(), freeByDefault: 8, limit: 500 });
    expect(due.deliveries.map(({ workflowId }) => workflowId)).toContain(id);
  });

  it('facts that are stored while their deleted workflow is forgotten leave no delivery behind', async () => {
    const { matcher, index } = newMatcher();
    const { workflow_id: id, site_id: site } = index.set({ ...workflow(), site_id: randomUUID() }).record;
    await settle(index.records());
    await markDeleted(pool, id);
    const blocker = await owner.connect();
    try {
      await blocker.query('begin');
      await blocker.query('select from queues where workflow_id = $1 for update', [id]);
      const taken = matcher.take([purchase(site)]);
      await eventually(async () => (await database.countWaiting()) === 1);
      const forgotten = forgetDeletedWorkflows(pool);
      await eventually(async () => (await database.countWaiting()) === 2);
      await blocker.query('commit');
      await Promise.all([taken, forgotten]);
    } finally {
      blocker.release();
    }
    expect(await deliveredTo(id)).toBe(0);
  });

  it('the body of an event is stored once, and comes once to who sends it, however many workflows it triggers', async () => {
    const { matcher, index } = newMatcher();
    const site = { ...workflow(), site_id: randomUUID() };
    for (let count = 0; count < 40; count += 1) index.set({ ...site, workflow_id: randomUUID() });
    const event = purchase(site.site_id, { note: 'x'.repeat(50_000) });
    await matcher.take([event]);
    await matcher.take([event]);
    const { rows } = await owner.query<{ of: string; rows: number }>(
      `select 'deliveries' as of, count(*)::integer as rows from deliveries where site_id = $1 union all
       select 'bodies', count(*)::integer from facts where site_id = $1 and length(body) > 50000`,
      [site.site_id],
    );
    expect(rows).toEqual([
      { of: 'deliveries', rows: 40 },
      { of: 'bodies', rows: 1 },
    ]);
    const claiming = database.openPool(1);
    const client = await claiming.connect();
    const bytesRead = (): number => (client as unknown as Connected).connection.stream.bytesRead;
    client.release();
    const before = bytesRead();
    const request = { saturated: [], free: new Map(), freeByDefault: 8, limit: 500 };
    const { deliveries } = await claimDue(claiming, request);
    const mine = deliveries.filter(({ body }) => body.includes(site.site_id));
    expect(mine.map(({ body }) => body.length > 50_000)).toEqual(Array.from({ length: 40 }, () => true));
    expect(bytesRead() - before).toBeLessThan(2 * 50_000);
  });
});

describe('the definitions of workflows', () => {
  it('a replica that starts makes no queue as an earlier version says that the log still has', async () => {
    const first = workflow();
    const { workflow_id: id } = first;
    const disabled = { ...first, enabled: false, version: 2 };
    await settle([disabled]);
    await owner.query("update queues set failing_since = timestamptz '2026-01-31' where workflow_id = $1", [
      id,
    ]);
    const queue = async () => {
      const found = await owner.query(
        'select is_enabled, version, failing_since is null as is_well from queues where workflow_id = $1',
        [id],
      );
      return found.rows[0] as unknown;
    };
    const seen: unknown[] = [];
    const directory = new WorkflowDirectory({
      messaging: {} as never,
      pool,
      log: {} as never,
      openTable: async (_, { apply }) => {
        apply(id, JSON.stringify(first), 0);
        for (let looks = 0; looks < 30; looks += 1) seen.push(await queue());
        apply(id, JSON.stringify(disabled), 0);
        return { close: () => Promise.resolve() } as never;
      },
    });
    await directory.open();
    seen.push(await queue());
    expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ is_enabled: false, version: 2, is_well: false })]),
    );
    expect(directory.index.get(id)?.version).toBe(2);
    await directory.close();
  });
});
