import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readCursor } from '@truetally/kernel';
import { untilHourLasts } from '@truetally/testing';
import type { PlacedRequest } from '../domain/placed-request.js';
import { readEvents } from '../read-events/read-events.js';
import { republishClicks, republishEvents } from '../republish-events/republish-events.js';
import {
  type IngestionDatabase,
  openIngestionDatabase,
  type Replica,
} from '../testing/ingestion-database.js';
import { anEvent, aRequest, SITE_ID } from '../testing/requests.js';
import { EventReads } from './event-reads.js';
import { PartitionEmptier } from './partition-emptier.js';
import { ReconciliationStore } from './reconciliation.store.js';

const RETENTION_DAYS = 7;
const WINDOW_DAYS = 30;
const DAY_MS = 86_400_000;

let database: IngestionDatabase;
let replica: Replica;

beforeEach(async () => {
  // Partitions are so many days old: no day ends within a test.
  await untilHourLasts();
  database = await openIngestionDatabase();
  replica = database.replica();
});

afterEach(() => database.close());

/** A partition of so many days ago, with all events of today. */
async function age(days: number): Promise<void> {
  const { owner } = database;
  await owner.query(
    `select create_partition(day - make_interval(days => $1), day - make_interval(days => $1 - 1))
     from (select date_trunc('day', now(), 'UTC') as day)`,
    [days],
  );
  for (const [table, column] of [
    ['events', 'received_at'],
    ['event_counts', 'hour'],
  ]) {
    await owner.query(
      `update ${table} set ${column} = date_trunc('day', now(), 'UTC') - make_interval(days => $1) + interval '1 hour'
       where ${column} > now() - interval '1 day'`,
      [days],
    );
  }
}

/** @returns the partitions that were emptied, as days ago */
async function empty(retentionDays = RETENTION_DAYS): Promise<readonly number[]> {
  const emptied: number[] = [];
  const emptier = new PartitionEmptier({
    pool: replica.pool,
    retentionDays,
    windowDays: WINDOW_DAYS,
    onEmptied: (name) => emptied.push(daysAgo(name)),
  });
  await emptier.run();
  return emptied;
}

function daysAgo(tableName: string): number {
  const [, year, month, day] = /^events_(\d{4})(\d\d)(\d\d)t000000$/.exec(tableName) ?? [];
  const today = Math.floor(Date.now() / DAY_MS);
  return today - Date.parse(`${year}-${month}-${day}`) / DAY_MS;
}

async function verdictOf(request: PlacedRequest, on = replica): Promise<object | undefined> {
  const [settled] = await on.store.store([request]);
  return settled?.verdicts[0];
}

async function stored(): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await database.owner.query<Record<string, unknown>>(
    'select event_id, user_id, session_id, device_id, properties, context from events order by event_type',
  );
  return rows;
}

describe('events whose content is kept for less than the deduplication window', () => {
  it('a replay is a duplicate with the first time, before and after the content is gone', async () => {
    const event = anEvent({ user_id: 'user-1' });
    const request = aRequest([event]);
    await replica.store.store([request]);
    await age(10);
    await replica.catalog.refresh(replica.pool);
    await replica.filters.makeMissing();
    const first = await verdictOf(aRequest([event]));
    expect(first).toMatchObject({ verdict: 'duplicate' });
    expect(await empty()).toEqual([10]);
    expect(await stored()).toEqual([
      {
        event_id: event.event_id,
        user_id: 'user-1',
        session_id: 'session-1',
        device_id: null,
        properties: {},
        context: {},
      },
    ]);
    for (const one of [replica, database.replica()]) {
      expect(await verdictOf(aRequest([event]), one)).toEqual(first);
      // Delivered again, the request that stored it stored it.
      expect(await verdictOf(request, one)).toMatchObject({ verdict: 'stored' });
    }
    expect(await empty()).toEqual([]);
  });

  it('only partitions within the window are emptied, and no other is dropped', async () => {
    await replica.store.store([aRequest([anEvent()])]);
    for (const days of [40, 29, 8, 3]) await age(days);
    expect(await empty()).toEqual([29, 8]);
    expect(await empty(WINDOW_DAYS)).toEqual([]);
    const dropped: number[] = [];
    for (;;) {
      const { rows } = await replica.pool.query<{ name: string | null }>(
        'select drop_expired_partition($1, $2) as name',
        [RETENTION_DAYS, WINDOW_DAYS],
      );
      const name = rows[0]?.name ?? null;
      if (name === null) break;
      dropped.push(daysAgo(name));
    }
    expect(dropped).toEqual([40]);
  });

  it('clicks keep their content, from which they are published again', async () => {
    const click = { properties: '{"provider":"awin"}', event_type: 'partner_link_click' };
    await replica.store.store([aRequest([anEvent(), anEvent(click)])]);
    await age(10);
    await empty();
    expect((await stored()).map(({ properties }) => properties)).toEqual([{ provider: 'awin' }, {}]);
  });

  it('an event without content is not published again, and a click is', async () => {
    await replica.store.store([aRequest([anEvent(), anEvent({ event_type: 'partner_link_click' })])]);
    await age(10);
    const again = (republish: typeof republishEvents) =>
      republish({
        pool: replica.pool,
        period: { from: '2000-01-01T00:00:00.000Z', to: '9000-01-01T00:00:00.000Z' },
        messaging: { publish: () => Promise.resolve() },
      });
    expect([await again(republishEvents), await again(republishClicks)]).toEqual([2, 1]);
    await empty();
    expect([await again(republishEvents), await again(republishClicks)]).toEqual([0, 1]);
  });

  it('an event without content is not listed, and still counted and erased', async () => {
    const event = anEvent();
    await replica.store.store([aRequest([event])]);
    await age(10);
    await empty();
    const place = { event_id: event.event_id, received_at: new Date(Date.now() - 20 * DAY_MS).toISOString() };
    const until = { ...place, received_at: new Date().toISOString() };
    const listed = (days: number) => new EventReads(replica.pool, days).read(SITE_ID, [place, until]);
    expect([await listed(RETENTION_DAYS), (await listed(WINDOW_DAYS)).items.length]).toEqual([
      { items: [], isCut: false },
      1,
    ]);
    const hours = await new ReconciliationStore(replica.pool).page({
      siteId: SITE_ID,
      fromMs: Date.now() - 20 * DAY_MS,
      toMs: Date.now(),
      after: null,
      limit: 10,
    });
    expect(hours).toMatchObject([{ stored: 1, rows: 1 }]);
    await database.owner.query('insert into erased_sites (site_id) values ($1)', [SITE_ID]);
    await replica.pool.query('select erase_events($1, starts_at, 0, 10) from event_partitions', [SITE_ID]);
    expect(await stored()).toEqual([]);
  });

  it('a page of events ends after 1 MiB of content, and goes on behind it', async () => {
    const large = { properties: JSON.stringify({ note: 'x'.repeat(60_000) }) };
    const events = Array.from({ length: 40 }, () => anEvent(large));
    await replica.store.store([aRequest(events)]);
    const { rows: places } = await replica.pool.query<{ event_id: string; received_at: string }>(
      `select event_id, to_char(received_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as received_at
       from events order by events.received_at desc, event_id desc`,
    );
    const read = readEvents(new EventReads(replica.pool, RETENTION_DAYS));
    const pages: string[][] = [];
    for (let next: string | null = 'first'; next !== null;) {
      // As the list of analytics, which is in the same order, goes on behind a cursor.
      const behind = places.findIndex(({ event_id }) => event_id === readCursor(next ?? '')?.id);
      const reply = await read({
        site_id: SITE_ID,
        events: places.slice(behind + 1),
        next_cursor: null,
      });
      if (!('ok' in reply)) throw new Error('The page was refused.');
      pages.push(reply.ok.items.map(({ event_id }) => event_id));
      next = reply.ok.next_cursor;
    }
    expect(pages.map((page) => page.length)).toEqual([17, 17, 6]);
    expect(pages.flat()).toEqual(places.map(({ event_id }) => event_id));
  });

  it('events are stored and looked up while a partition is emptied, which waits for who reads it', async () => {
    const events = Array.from({ length: 20 }, () => anEvent());
    await replica.store.store([aRequest(events)]);
    await age(10);
    const reader = await replica.pool.connect();
    await reader.query('begin');
    await reader.query('select count(*) from events');
    const emptying = empty();
    const other = database.replica();
    const verdicts = [];
    for (const event of events) {
      verdicts.push(await verdictOf(aRequest([event]), other));
      verdicts.push(await verdictOf(aRequest([anEvent()]), other));
    }
    await reader.query('commit');
    reader.release();
    expect(await emptying).toEqual([10]);
    expect(verdicts.filter((verdict) => verdict !== undefined)).toHaveLength(2 * events.length);
    for (const [place, verdict] of verdicts.entries()) {
      expect(verdict).toMatchObject({ verdict: place % 2 === 0 ? 'duplicate' : 'stored' });
    }
  });

  it('an emptying that is stopped before it knows its session empties nothing', async () => {
    await replica.store.store([aRequest([anEvent()])]);
    await age(10);
    const options = { pool: replica.pool, retentionDays: RETENTION_DAYS, windowDays: WINDOW_DAYS };
    const emptied: string[] = [];
    const emptier = new PartitionEmptier({ ...options, onEmptied: (name) => emptied.push(name) });
    const running = emptier.run();
    await emptier.stop();
    await running;
    expect(emptied).toEqual([]);
    expect((await stored()).map(({ properties }) => properties)).toEqual([{ product_id: 'sku-1' }]);
  });

  it('an emptying that is stopped is undone', async () => {
    await replica.store.store([aRequest([anEvent()])]);
    await age(10);
    const reader = await database.owner.connect();
    await reader.query('begin');
    await reader.query('select count(*) from events');
    const options = { pool: replica.pool, retentionDays: RETENTION_DAYS, windowDays: WINDOW_DAYS };
    const emptier = new PartitionEmptier({ ...options, onEmptied: () => undefined });
    const running = expect(emptier.run()).rejects.toThrow('canceling statement');
    let isWaiting = false;
    while (!isWaiting) {
      const { rowCount } = await database.owner.query(
        `select from pg_stat_activity where query like 'select empty_partition%' and state = 'active'`,
      );
      isWaiting = rowCount === 1;
    }
    await emptier.stop();
    await running;
    await reader.query('rollback');
    reader.release();
    expect((await stored()).map(({ properties }) => properties)).toEqual([{ product_id: 'sku-1' }]);
  });
});
