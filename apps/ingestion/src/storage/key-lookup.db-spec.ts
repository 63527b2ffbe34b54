import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type IngestionDatabase,
  openIngestionDatabase,
  type Replica,
} from '../testing/ingestion-database.js';
import { anEvent, aRequest } from '../testing/requests.js';

/** More than one statement looks up (64), and more than are looked up one by one (8). */
const MANY = 70;
const SOME = 12;
const SECONDS_PER_HOUR = 3_600;

let database: IngestionDatabase;
let replica: Replica;

beforeEach(async () => {
  database = await openIngestionDatabase();
  replica = database.replica({ partitionSeconds: SECONDS_PER_HOUR });
  await database.owner.query('select ensure_partitions($1, $2)', [SECONDS_PER_HOUR, MANY + 5]);
});

afterEach(() => database.close());

/** Stores a new event in the open partition. */
async function storeOne(): Promise<string> {
  const event = anEvent();
  const [settled] = await replica.store.store([aRequest([event])]);
  expect(settled?.verdicts.map(({ verdict }) => verdict)).toEqual(['stored']);
  return event.event_id;
}

/** As after the end of its hour: the next partition is the open one. */
async function closePartition(): Promise<void> {
  await database.owner.query(
    `update partition_clock clock set starts_at = next.starts_at, ends_at = next.ends_at
     from (select made.* from event_partitions made, partition_clock open
           where made.starts_at >= open.ends_at order by made.starts_at limit 1) next`,
  );
}

/** As many closed partitions, each with an event and without a loaded filter. @returns their events, oldest first */
async function closePartitions(count: number): Promise<readonly string[]> {
  const eventIds: string[] = [];
  for (let closed = 0; closed < count; closed += 1) {
    eventIds.push(await storeOne());
    await closePartition();
  }
  return eventIds;
}

async function replay(eventIds: readonly string[]): Promise<readonly string[]> {
  const events = eventIds.map((eventId) => anEvent({ event_id: eventId }));
  const [settled] = await replica.store.store([aRequest(events)]);
  return settled?.verdicts.map(({ verdict }) => verdict) ?? [];
}

async function statements(): Promise<number> {
  const { rows } = await replica.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_prepared_statements where name like 'find-closed-%'`,
  );
  // Another connection would have other prepared statements.
  expect(replica.pool.totalCount).toBe(1);
  return rows[0]?.count ?? 0;
}

describe('replays of events in closed partitions whose filters are not read yet', () => {
  it('replays in unread closed partitions are found in each of more partitions than one statement asks', async () => {
    const eventIds = await closePartitions(MANY);
    await storeOne();
    expect(replica.catalog.count.unread).toBe(MANY);
    expect(await replay(eventIds)).toEqual(eventIds.map(() => 'duplicate'));
    for (const eventId of [...eventIds.slice(0, 3), ...eventIds.slice(60, 67)])
      expect(await replay([eventId])).toEqual(['duplicate']);
    expect(await statements()).toBe(2);
  });

  it('replays are found in a partition that was closed since the others were asked', async () => {
    const eventIds = await closePartitions(SOME);
    expect(await replay(eventIds)).toEqual(eventIds.map(() => 'duplicate'));
    for (let closed = 0; closed < 3; closed += 1) {
      const [eventId = ''] = await closePartitions(1);
      expect(await replay([eventId])).toEqual(['duplicate']);
    }
  });

  it('leave a connection no statement over partitions as they were before', async () => {
    await closePartitions(SOME);
    for (let closed = 0; closed < 3; closed += 1) {
      await closePartitions(1);
      await storeOne();
      expect(await statements()).toBe(1);
    }
  });
});
