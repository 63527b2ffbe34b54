import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { openServiceDatabase, type ServiceDatabase } from '@truetally/testing-product';
import type pg from 'pg';
import { claimDue } from './claim.store.js';
import { storeDeliveries } from './delivery-log.store.js';
import { MIGRATIONS } from './migrations/migrations.js';

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

it('a delivery that another process takes while it is looked for is left to that one', async () => {
  const [workspace_id, site_id, workflow_id] = [randomUUID(), randomUUID(), randomUUID()];
  const workflow = { workflow_id, workspace_id, site_id, version: 1, enabled: true };
  const fact = { eventType: 'purchase', eventId: null, recordId: null, orderId: null, body: '{}', workflow };
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
