import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PlacedRequest } from '../domain/placed-request.js';
import {
  type IngestionDatabase,
  openIngestionDatabase,
  type Replica,
} from '../testing/ingestion-database.js';
import { anEvent, aRequest, SITE_ID } from '../testing/requests.js';
import { ReconciliationStore } from './reconciliation.store.js';
import { TrailReads } from './trail-reads.js';

const RETENTION_DAYS = 7;
const WINDOW_DAYS = 30;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let database: IngestionDatabase;
let replica: Replica;

beforeEach(async () => {
  database = await openIngestionDatabase();
  replica = database.replica();
});

afterEach(() => database.close());

/** As if everything that is stored had been stored so many days ago. */
async function age(days: number): Promise<void> {
  const { owner } = database;
  await owner.query(
    `select create_partition(day - make_interval(days => $1), day - make_interval(days => $1 - 1))
     from (select date_trunc('day', now(), 'UTC') as day)`,
    [days],
  );
  await owner.query(
    `update events set received_at = date_trunc('day', now(), 'UTC') - make_interval(days => $1) + interval '1 hour'
     where received_at > now() - interval '1 day'`,
    [days],
  );
  await owner.query(
    `update event_counts set hour = date_trunc('day', now(), 'UTC') - make_interval(days => $1) + interval '1 hour'`,
    [days],
  );
}

async function call(sql: string, ...values: number[]): Promise<string | null> {
  const { rows } = await replica.pool.query<{ name: string | null }>(`select ${sql} as name`, values);
  return rows[0]?.name ?? null;
}

const keepKeys = () => call('keep_keys($1)', RETENTION_DAYS);
const drop = () => call('drop_expired_partition($1, $2)', RETENTION_DAYS, WINDOW_DAYS);
/** As an hour after the keys were made. */
const wait = () =>
  database.owner.query(`update event_partitions set keys_made_at = keys_made_at - interval '2 hours'`);

async function verdictOf(request: PlacedRequest, on = replica): Promise<object | undefined> {
  const [settled] = await on.store.store([request]);
  return settled?.verdicts[0];
}

async function tables(): Promise<readonly string[]> {
  const { rows } = await database.owner.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relname ~ '^event(s|_keys)_\\d' order by 1`,
  );
  return rows.map(({ name }) => name);
}

describe('events whose rows are kept for less than the deduplication window', () => {
  it('a replay is a duplicate with the first time, before and after the rows are dropped', async () => {
    const event = anEvent();
    const request = aRequest([event]);
    await replica.store.store([request]);
    await age(10);
    const first = await verdictOf(aRequest([event]), database.replica());
    expect(first).toMatchObject({ verdict: 'duplicate' });
    expect(await keepKeys()).toMatch(/^event_keys_\d{8}t000000$/);
    expect([await keepKeys(), await drop()]).toEqual([null, null]);
    // This replica was there before the keys were, and asks their table when it has looked again.
    await replica.catalog.refresh(replica.pool);
    expect(await verdictOf(aRequest([event]))).toEqual(first);
    await replica.filters.makeMissing();
    await wait();
    expect(await drop()).toMatch(/^events_\d{8}t000000$/);
    expect(await verdictOf(aRequest([event]))).toEqual(first);
    expect(await verdictOf(aRequest([event]), database.replica())).toEqual(first);
    const later = database.replica();
    await later.catalog.refresh(later.pool);
    await later.filters.makeMissing();
    expect(later.catalog.count).toEqual({ closed: 1, unread: 0 });
    expect(await verdictOf(aRequest([event]), later)).toEqual(first);
    // Delivered again, the request that stored it stored it.
    expect(await verdictOf(request, later)).toMatchObject({ verdict: 'stored' });
  });

  it('a replica that knows only the table of rows goes on while both are there', async () => {
    const event = anEvent();
    await replica.store.store([aRequest([event])]);
    await age(10);
    await replica.catalog.refresh(replica.pool);
    await keepKeys();
    expect(await verdictOf(aRequest([event]))).toMatchObject({ verdict: 'duplicate' });
  });

  it('keys are dropped with the window, and not before thirty days', async () => {
    await replica.store.store([aRequest([anEvent()])]);
    for (const days of [40, 29, 8, 3]) await age(days);
    while ((await keepKeys()) !== null);
    await wait();
    while ((await drop()) !== null);
    const day = (ago: number): string =>
      new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
    const old = (await tables()).filter((name) => !name.endsWith(`${day(0)}t000000`));
    expect(old).toEqual([
      `event_keys_${day(29)}t000000`,
      `event_keys_${day(8)}t000000`,
      `events_${day(3)}t000000`,
    ]);
    expect(await call('drop_expired_partition($1, $2)', 0, 0)).toBeNull();
  });

  it('the trail says since when rows are kept, and hours without rows are not compared', async () => {
    const event = anEvent();
    await replica.store.store([aRequest([event])]);
    await age(10);
    const hours = (): Promise<readonly unknown[]> =>
      new ReconciliationStore(replica.pool).page({
        siteId: SITE_ID,
        fromMs: Date.now() - 20 * DAY_MS,
        toMs: Date.now(),
        after: null,
        limit: 10,
      });
    expect(await hours()).toMatchObject([{ stored: 1, rows: 1 }]);
    await keepKeys();
    await wait();
    await drop();
    expect(await hours()).toEqual([]);
    const { stored_since: since } = await new TrailReads(replica.pool).searched(SITE_ID);
    expect(Date.parse(String(since))).toBeGreaterThan(Date.now() - 2 * DAY_MS);
  });

  it('an erasure passes over a partition without rows', async () => {
    await replica.store.store([aRequest([anEvent()])]);
    await age(10);
    await keepKeys();
    await wait();
    await drop();
    await database.owner.query('insert into erased_sites (site_id) values ($1)', [SITE_ID]);
    const { rows } = await replica.pool.query(
      `select erased, is_last from event_partitions one, erase_events($1, one.starts_at, 0, 10) order by one.starts_at limit 1`,
      [SITE_ID],
    );
    expect(rows).toEqual([{ erased: '0', is_last: true }]);
  });

  it('the service’s role reads the kept keys, and changes none', async () => {
    await replica.store.store([aRequest([anEvent()])]);
    await age(10);
    const table = await keepKeys();
    const { rowCount } = await replica.pool.query(`select from ${table}`);
    expect(rowCount).toBe(1);
    const refused = replica.pool.query(`update ${table} set event_id = $1`, [randomUUID()]);
    await expect(refused).rejects.toMatchObject({ code: '42501' });
  });
});
