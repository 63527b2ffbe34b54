import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cursorOf } from '@truetally/kernel';
import { createPool, migrate, SharedReader } from '@truetally/persistence';
import { createTestDatabase, ownerPool, type TestDatabase } from '@truetally/testing';
import type pg from 'pg';
import { explain } from '../../testing/explain.js';
import { deliveriesOfEvents, pageOfDeliveries } from './delivery.store.js';
import { MIGRATIONS } from './migrations/migrations.js';

const DELIVERIES = 30_000;
const LIMIT = 50;
const [WORKFLOW, SITE] = [randomUUID(), randomUUID()];

/** One a second; every third is of a record, of which a hundred have one order. One in a thousand is dead. */
const FILL = `
  with told as (
    insert into facts (site_id, fact_key, body) select $2, 'fact-' || n, '{}' from generate_series(1, ${DELIVERIES}) as n)
  insert into deliveries (delivery_id, workflow_id, site_id, fact_key, subject, event_type, event_id, record_id, order_id,
    is_test, lane, status, deadline_at, created_at)
  select gen_random_uuid(), $1, $2, 'fact-' || n, 's', 'purchase', case when n % 3 > 0 then 'e' || n end,
    case when n % 3 = 0 then 'r' || n end, case when n % 3 = 0 then 'o' || n / 300 end, false, 1,
    case when n % 1000 = 0 then 'dead' else 'delivered' end, now(),
    timestamptz '2026-01-01' + n * interval '1 second'
  from generate_series(1, ${DELIVERIES}) as n`;
/** Behind all but the oldest thousand. */
const EARLY = '2026-01-01T00:16:40.000Z';

/** What `pg` does not tell of a client. */
interface Connected {
  readonly connection: { readonly stream: { readonly bytesRead: number } };
}

let database: TestDatabase;
let owner: pg.Pool;
let pool: pg.Pool;
let reader: SharedReader;

beforeAll(async () => {
  database = await createTestDatabase('outbound');
  await migrate({ ...database, url: database.ownerUrl, migrations: MIGRATIONS });
  owner = ownerPool(database, 1);
  const connections = { url: database.url, schema: database.schema, applicationName: 'test' };
  pool = createPool({ ...connections, max: 1 });
  reader = new SharedReader({ ...connections, max: 1 });
  await owner.query(FILL, [WORKFLOW, SITE]);
  await owner.query('vacuum analyze deliveries');
});

afterAll(async () => {
  await Promise.all([reader.close(), pool.end(), owner.end()]);
});

const query = (filters: Readonly<Record<string, string>>, cursor: string | null) => ({
  workspace_id: randomUUID(),
  actor: null,
  params: {},
  filters,
  limit: LIMIT,
  cursor,
});
const BEHIND = cursorOf({ at: '2026-01-01 00:16:40+00', id: randomUUID() });

describe('deliveries of a workflow with 30,000', () => {
  it.each<[string, Readonly<Record<string, string>>, string | null, string]>([
    ['a page far behind', {}, BEHIND, 'deliveries_listed'],
    ['those before a time', { to: EARLY }, null, 'deliveries_listed'],
    ['those of an event', { event_id: 'e100' }, null, 'deliveries_of_event'],
    ['those of an unknown event', { event_id: 'e' }, null, 'deliveries_of_event'],
    ['those of an event and a status', { event_id: 'e100', status: 'dead' }, null, 'deliveries_of_event'],
    ['those of a record', { record_id: 'r300' }, null, 'deliveries_of_record'],
    ['those of an order', { order_id: 'o2' }, null, 'deliveries_of_order'],
    ['those of an order far behind', { order_id: 'o2' }, BEHIND, 'deliveries_of_order'],
    ['those of an order from a time', { order_id: 'o2', from: EARLY }, null, 'deliveries_of_order'],
    ['those of a rare status', { status: 'dead' }, null, 'deliveries_by_status'],
    ['those of a status before a time', { status: 'delivered', to: EARLY }, null, 'deliveries_by_status'],
    ['those of a rare status from a time', { status: 'dead', from: EARLY }, null, 'deliveries_by_status'],
  ])('%s come from an index in its order', async (_, filters, cursor, index) => {
    const asked = query(filters, cursor);
    const plan = await explain({ pool, reader }, (client) => pageOfDeliveries(client, asked, WORKFLOW));
    expect(plan.indexes).toContain(index);
    expect(plan.nodes.filter((node) => /Seq Scan|Bitmap/.test(node))).toEqual([]);
    expect(plan.mostRows).toBeLessThanOrEqual(100);
    expect(plan.buffers).toBeLessThan(400);
  });

  it('pages of deliveries with a hundred long answers each are read little further than they are full', async () => {
    const [workflow, deliveries] = [randomUUID(), 100];
    await owner.query(
      `with replayed as (
         insert into deliveries (delivery_id, workflow_id, site_id, fact_key, subject, event_type, is_test, lane, status,
           deadline_at)
         select gen_random_uuid(), $1, $2, fact_key, 's', 'purchase', false, 1, 'dead', now() from facts
         order by fact_key limit $3 returning delivery_id, site_id)
       insert into attempts select delivery_id, number, site_id, now(), 500, 1, null, repeat('x', 1024), true
       from replayed, generate_series(1, 100) number`,
      [workflow, SITE, deliveries],
    );
    const client = (await pool.connect()) as pg.PoolClient & Connected;
    const { stream } = client.connection;
    const ids: string[] = [];
    for (let next: string | null | undefined = null; next !== undefined;) {
      const before = stream.bytesRead;
      const page = await pageOfDeliveries(client, { ...query({}, next), limit: 200 }, workflow);
      expect(stream.bytesRead - before).toBeLessThan(8 * 1_024 * 1_024);
      if ('error' in page) throw new Error('The cursor is a page’s own.');
      ids.push(...page.ok.items.map(({ id }) => id));
      next = page.ok.next_cursor ?? undefined;
    }
    client.release();
    expect([ids.length, new Set(ids).size]).toEqual([deliveries, deliveries]);
  });

  it('those that many events have caused come from the index of events', async () => {
    const asReader = { pool: reader as unknown as pg.Pool, reader };
    const eventIds = Array.from({ length: 50 }, (_, index) => `e${index * 3 + 1}`);
    const plan = await explain(asReader, (client) => deliveriesOfEvents(client, SITE, eventIds));
    expect(plan.indexes).toEqual(['deliveries_of_event']);
    expect(plan.mostRows).toBeLessThanOrEqual(50);
  });
});
