import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import type { SettledRequest } from '../domain/settle-requests.js';
import {
  type IngestionDatabase,
  openIngestionDatabase,
  type Replica,
} from '../testing/ingestion-database.js';
import { anEvent, aRequest } from '../testing/requests.js';

const SECONDS_PER_DAY = 86_400;
const SHORT = { partitionSeconds: 1, windowSeconds: 600 };

let database: IngestionDatabase;

beforeEach(async () => {
  database = await openIngestionDatabase();
});

afterEach(() => database.close());

const firstVerdict = (settled: readonly SettledRequest[]) => settled[0]?.verdicts[0];

async function verdictFor(replica: Replica, eventId: string) {
  return firstVerdict(await replica.store.store([aRequest([anEvent({ event_id: eventId })])]));
}

async function openPartition(): Promise<string> {
  const { rows } = await database.owner.query<{ starts_at: string }>(
    'select starts_at::text from partition_clock',
  );
  return rows[0]?.starts_at ?? '';
}

/** Moves a stored event to the beginning of a separate closed partition, whose bounds are given in hours from now. */
async function move(
  eventId: string,
  { fromHours, toHours }: { readonly fromHours: number; readonly toHours: number },
): Promise<void> {
  const hour = "date_trunc('hour', now()) + make_interval(hours => $1)";
  await database.owner.query(`select create_partition(${hour}, ${hour.replace('$1', '$2')})`, [
    fromHours,
    toHours,
  ]);
  await database.owner.query(`update events set received_at = ${hour} where event_id = $2`, [
    fromHours,
    eventId,
  ]);
}

/** Stores events until the time is beyond the currently open partition. */
async function leavePartition(replica: Replica): Promise<void> {
  const before = await openPartition();
  await eventually(async () => {
    await replica.store.store([aRequest([anEvent()])]);
    return (await openPartition()) !== before;
  });
}

describe('replays across partitions', () => {
  it('finds an event of a closed partition before its filter is read, and after', async () => {
    let asked = 0;
    const event = anEvent();
    const first = await verdictFor(database.replica(SHORT), event.event_id);
    // The partition that it opens lasts: each closed one without a filter is asked, too.
    const replica = database.replica({ observer: { lookedUp: (candidates) => (asked += candidates) } });
    await leavePartition(replica);
    expect(replica.catalog.count.unread).toBeGreaterThan(0);
    expect(await verdictFor(replica, event.event_id)).toEqual({ ...first, verdict: 'duplicate' });

    await eventually(async () => {
      await replica.filters.makeMissing();
      return replica.catalog.count.unread === 0;
    });
    asked = 0;
    expect(await verdictFor(replica, event.event_id)).toEqual({ ...first, verdict: 'duplicate' });
    expect(asked).toBe(1);
    expect(await verdictFor(replica, anEvent().event_id)).toMatchObject({ verdict: 'stored' });
    expect(asked).toBe(1);
  });

  it('reads the filter that another replica made', async () => {
    const maker = database.replica(SHORT);
    const event = anEvent();
    await maker.store.store([aRequest([event])]);
    await leavePartition(maker);
    await maker.filters.makeMissing();
    const reader = database.replica(SHORT);
    await reader.catalog.refresh(reader.pool);
    await reader.filters.readMade();
    expect(reader.catalog.count.unread).toBe(0);
    expect(await verdictFor(reader, event.event_id)).toMatchObject({ verdict: 'duplicate' });
  });

  it('knows a partition that another replica closed a moment ago', async () => {
    const [one, other] = [database.replica(SHORT), database.replica(SHORT)];
    const event = anEvent();
    await one.store.store([aRequest([event])]);
    await leavePartition(other);
    expect(await verdictFor(one, event.event_id)).toMatchObject({ verdict: 'duplicate' });
    expect(await verdictFor(other, event.event_id)).toMatchObject({ verdict: 'duplicate' });
  });

  it('makes the filter of a partition with more keys than one page', async () => {
    const replica = database.replica(SHORT);
    await replica.store.store([aRequest([anEvent()])]);
    await leavePartition(replica);
    const oldest = (
      await database.owner.query<{ table_name: string }>(
        'select table_name from event_partitions order by starts_at limit 1',
      )
    ).rows[0]?.table_name;
    await database.owner.query(
      `insert into ${String(oldest)} select gen_random_uuid(), site_id, event_type, session_id, user_id, device_id,
         client_event_id, occurred_at, received_at, trust, is_bot, request_id, request_partition, request_offset,
         content_hash, correlation_id, properties, context
       from (select * from ${String(oldest)} limit 1), generate_series(1, 45000)`,
    );
    await replica.filters.makeMissing();
    const { rows } = await database.owner.query<{ made: string; present: string }>(
      `select (select keys from partition_filters order by starts_at limit 1) as made,
         (select count(*) from ${String(oldest)}) as present`,
    );
    expect(rows[0]?.made).toBe(rows[0]?.present);
    const { rows: sample } = await database.owner.query<{ event_id: string }>(
      `select event_id from ${String(oldest)} limit 2000`,
    );
    const [settled] = await replica.store.store([aRequest(sample.map((row) => anEvent(row)))]);
    expect(settled?.storedRows).toBe(0);
  });

  it('remembers a partition as long as any part of it is within the window', async () => {
    const [within, beyond] = [anEvent(), anEvent()];
    const replica = database.replica({ windowSeconds: 5 * SECONDS_PER_DAY });
    await replica.store.store([aRequest([within, beyond])]);
    await move(beyond.event_id, { fromHours: -240, toHours: -121 });
    await move(within.event_id, { fromHours: -121, toHours: -119 });
    await replica.catalog.refresh(replica.pool);
    expect(await verdictFor(replica, within.event_id)).toMatchObject({ verdict: 'duplicate' });
    await replica.filters.makeMissing();
    expect(replica.catalog.count).toEqual({ closed: 1, unread: 0 });
    expect(await verdictFor(replica, within.event_id)).toMatchObject({ verdict: 'duplicate' });
    expect(await verdictFor(replica, beyond.event_id)).toMatchObject({ verdict: 'stored' });
    const shorter = database.replica({ windowSeconds: 4 * SECONDS_PER_DAY });
    expect(await verdictFor(shorter, within.event_id)).toMatchObject({ verdict: 'stored' });
  });

  it('forgets a partition when it has left the window, and takes the key again', async () => {
    const windowSeconds = 3;
    const replica = database.replica({ partitionSeconds: 1, windowSeconds });
    const event = anEvent();
    await replica.store.store([aRequest([event])]);
    await eventually(async () => {
      await leavePartition(replica);
      await replica.filters.makeMissing();
      return (await verdictFor(replica, event.event_id))?.verdict === 'stored';
    });
    const { rows } = await database.owner.query<{ count: number; apart: number }>(
      `select count(*)::int as count, extract(epoch from max(received_at) - min(received_at))::float8 as apart
       from events where event_id = $1`,
      [event.event_id],
    );
    expect(rows[0]?.count).toBe(2);
    // The window ended before the transaction with the look-up began, whose time is that of its first millisecond.
    expect(rows[0]?.apart).toBeGreaterThan(windowSeconds - 0.5);
  });
});

describe('the partition clock', () => {
  it('stores on in the open partition when the machine clock steps back', async () => {
    const replica = database.replica();
    const event = anEvent();
    await replica.store.store([aRequest([event])]);
    await database.owner.query('select ensure_partitions(86400, 1)');
    await database.owner.query(
      `update partition_clock clock set starts_at = later.starts_at, ends_at = later.ends_at
       from (select * from event_partitions order by starts_at desc limit 1) later`,
    );
    const settled = firstVerdict(await replica.store.store([aRequest([anEvent()])]));
    expect(new Date(settled?.receivedAt ?? '')).toEqual(new Date(await openPartition()));
    expect(await verdictFor(replica, event.event_id)).toMatchObject({ verdict: 'duplicate' });
    await replica.pool.query('select advance_clock(86400)');
    expect(new Date(await openPartition())).toEqual(new Date(settled?.receivedAt ?? ''));
  });

  it('waits with the next partition until everybody has left the one before', async () => {
    const replica = database.replica(SHORT);
    await replica.store.store([aRequest([anEvent()])]);
    const slow = await replica.pool.connect();
    await slow.query('begin');
    await slow.query('select open_store()');
    const before = await openPartition();
    const waiting = leavePartition(database.replica(SHORT));
    await eventually(async () => {
      const { rowCount } = await database.owner.query(
        `select 1 from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted`,
      );
      return rowCount;
    });
    expect(await openPartition()).toBe(before);
    await slow.query('commit');
    slow.release();
    await waiting;
    expect((await openPartition()) > before).toBe(true);
  });

  it('makes partitions ahead that touch, and none twice', async () => {
    const replica = database.replica();
    await Promise.all([1, 2, 3].map(() => replica.pool.query('select ensure_partitions(3600, 2)')));
    await replica.pool.query('select ensure_partitions(86400, 2)');
    const { rows } = await database.owner.query<{ table_name: string; gap: string }>(
      `select table_name, starts_at - lag(ends_at) over (order by starts_at) as gap, count(*) over () as n
       from event_partitions order by starts_at`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(4);
    expect(rows.slice(1).every((row) => JSON.stringify(row.gap) === '{}')).toBe(true);
    expect(rows[0]?.table_name).toMatch(/^events_\d{8}t\d{2}0000$/);
  });
});

describe('retention', () => {
  it('drops the oldest partitions beyond the retention with their filters, and never one of thirty days', async () => {
    const replica = database.replica();
    await replica.store.store([aRequest([anEvent()])]);
    for (const [from, to] of [
      [500, 499],
      [410, 409],
      [35, 34],
      [29, 28],
    ]) {
      await database.owner.query(
        `select create_partition(day - make_interval(days => $1), day - make_interval(days => $2))
         from (select date_trunc('day', now(), 'UTC') as day)`,
        [from, to],
      );
    }
    const drop = async (days: number): Promise<boolean> => {
      const { rows } = await replica.pool.query<{ dropped: string | null }>(
        'select drop_expired_partition($1, 30) as dropped',
        [days],
      );
      return rows[0]?.dropped !== null;
    };
    expect([await drop(400), await drop(400), await drop(400)]).toEqual([true, true, false]);
    expect([await drop(0), await drop(0)]).toEqual([true, false]);
    const { rows } = await database.owner.query(
      `select 1 from pg_inherits where inhparent = 'events'::regclass`,
    );
    expect(rows).toHaveLength(2);
  });

  it('a partition that has left the window is kept while replicas may still look keys up in it', async () => {
    const drop = async (): Promise<string | null | undefined> => {
      const { rows } = await database.owner.query<{ dropped: string | null }>(
        'select drop_expired_partition(7, 30) as dropped',
      );
      return rows[0]?.dropped;
    };
    const replica = database.replica();
    await replica.store.store([aRequest([anEvent()])]);
    await database.owner.query(
      `select create_partition(ended - interval '1 day', ended)
       from (select date_trunc('second', now()) - interval '30 days 1 minute' as ended)`,
    );
    await replica.catalog.refresh(replica.pool);
    expect(await drop()).toBeNull();
    await expect(replica.store.store([aRequest([anEvent()])])).resolves.toMatchObject([
      { verdicts: [{ verdict: 'stored' }] },
    ]);
    await database.owner.query(
      `update event_partitions set ends_at = ends_at - interval '1 hour' where ends_at < now() - interval '29 days'`,
    );
    expect(await drop()).not.toBeNull();
  });
});
