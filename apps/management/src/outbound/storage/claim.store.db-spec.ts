import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import { eventually } from '@truetally/testing';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type pg from 'pg';
import { claimDue } from './claim.store.js';
import { insertDeliveries, storeDeliveries } from './delivery-log.store.js';
import { MIGRATIONS } from './migrations/migrations.js';
import { storeOutcomes } from './outcome.store.js';
import { addQueues, settleQueues, takeNews } from './queue.store.js';

/** Of a workflow at a time. */
const FREE = 8;
/** A lock that no other suite of the database has. */
const GATE = randomInt(2 ** 31);
/** Whoever says so waits at the gate while it reads queues. */
const WAIT_AT_THE_GATE = `
  create function waits_at_the_gate() returns boolean language plpgsql as $$
  begin
    if current_setting('test.waits', true) = 'on' then
      perform pg_advisory_lock_shared(${GATE});
      perform pg_advisory_unlock_shared(${GATE});
    end if;
    return true;
  end $$;
  alter table queues enable row level security;
  create policy waiting on queues using (waits_at_the_gate());`;

let database: ServiceDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await openServiceDatabase({ name: 'outbound', migrations: MIGRATIONS });
  pool = database.openPool(1);
});

afterAll(() => database.close());

function newFact() {
  const [workspace_id, site_id, workflow_id] = [randomUUID(), randomUUID(), randomUUID()];
  const workflow = { workflow_id, workspace_id, site_id, version: 1, enabled: true };
  return { eventType: 'purchase', eventId: null, recordId: null, orderId: null, body: '{}', workflow };
}

it.each([
  ['2 days 23 hours', true],
  ['3 days 1 minute', false],
])(
  'a workflow that began to fail four days ago, and fails again %s after its last failure, is told as failing: %s',
  async (pause, isFailing) => {
    const fact = newFact();
    const id = fact.workflow.workflow_id;
    const refused = {
      isDelivered: false,
      retryMs: null,
      status: 410,
      latencyMs: 1,
      error: null,
      response: null,
    };
    const failOnce = async (): Promise<void> => {
      await storeDeliveries(pool, [{ ...fact, factKey: randomUUID(), subject: '' }]);
      const request = { saturated: [], free: new Map<string, number>(), freeByDefault: FREE, limit: 100 };
      const { deliveries, nowMs: atMs } = await claimDue(pool, request);
      await storeOutcomes(
        pool,
        deliveries.map((due) => ({ ...due, ...refused, atMs })),
      );
    };
    await failOnce();
    await database.owner.query(
      `update queues set failing_since = now() - interval '4 days', failed_at = now() - $2::interval
       where workflow_id = $1`,
      [id, pause],
    );
    await failOnce();
    const news = await inTransaction(pool, takeNews);
    const told = news.filter(({ workflow_id }) => workflow_id === id);
    expect(told.map(({ is_failing }) => is_failing)).toEqual([isFailing]);
  },
);

it('a delivery that another process takes while it is looked for is left to that one', async () => {
  const fact = newFact();
  // More than one process takes of a workflow at a time, so that the workflow is due still.
  const told = Array.from({ length: 3 * FREE }, () => ({ factKey: randomUUID(), subject: randomUUID() }));
  await storeDeliveries(
    pool,
    told.map((one) => ({ ...fact, ...one })),
  );
  await database.owner.query(WAIT_AT_THE_GATE);
  const waiting = database.openPool(1);
  await waiting.query(`set test.waits = 'on'`);
  const claim = async (by: pg.Pool): Promise<readonly string[]> => {
    const request = { saturated: [], free: new Map<string, number>(), freeByDefault: FREE, limit: 100 };
    return (await claimDue(by, request)).deliveries.map(({ deliveryId }) => deliveryId);
  };
  const gate = await database.owner.connect();
  await gate.query('select pg_advisory_lock($1)', [GATE]);
  const later = claim(waiting);
  await eventually(async () => {
    const { rowCount } = await gate.query(
      `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [GATE],
    );
    return rowCount === 1;
  });
  const first = await claim(pool);
  await gate.query('select pg_advisory_unlock($1)', [GATE]);
  gate.release();
  const all = [...first, ...(await later), ...(await claim(pool))];
  expect([first.length, all.length, new Set(all).size]).toEqual([FREE, all.length, all.length]);
  expect(all.length).toBeGreaterThanOrEqual(2 * FREE);
});

it('a delivery that is stored while its workflow becomes known is due', async () => {
  const fact = newFact();
  const { workflow } = fact;
  const storing = await database.owner.connect();
  try {
    await storing.query('begin');
    await addQueues(storing, [workflow]);
    const settled = inTransaction(pool, (client) => settleQueues(client, [{ ...workflow, incarnation: 1 }]));
    await eventually(async () => (await database.countWaiting()) === 1);
    await insertDeliveries(storing, [{ ...fact, factKey: randomUUID(), subject: '' }]);
    await storing.query('commit');
    await settled;
  } finally {
    storing.release();
  }
  const request = { saturated: [], free: new Map<string, number>(), freeByDefault: FREE, limit: 100 };
  const { deliveries } = await claimDue(pool, request);
  expect(deliveries.map(({ workflowId }) => workflowId)).toContain(workflow.workflow_id);
});
