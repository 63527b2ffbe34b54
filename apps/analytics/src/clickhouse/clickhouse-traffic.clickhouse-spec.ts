import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import type { ReceivedFact } from '@truetally/messaging';
import { type LocalClickHouse, startClickHouse } from '@truetally/testing';
import { type ServiceDatabase, walkErasure } from '@truetally/testing-product';
import { sessionKeyOf } from '../domain/keys.js';
import { ReportOpener } from '../report-traffic/report-opener.js';
import { TrafficHandlers } from '../report-traffic/traffic.handlers.js';
import { sessionErasure } from '../storage/person-erasure.js';
import { ReportReads } from '../storage/report-reads.js';
import { analyticsErasure } from '../storage/site-erasure.js';
import { erasureOf, openAnalyticsDatabase } from '../testing/analytics-database.js';
import { atMinute, eventFact, touchFact } from '../testing/told-facts.js';
import { trafficSuite, ZONE } from '../testing/traffic-suite.js';
import { ClickHouse } from './clickhouse-client.js';
import { ClickHouseErasure } from './clickhouse-erasure.js';
import { takeBackCopy } from './clickhouse-restore.js';
import { type QueueEngine, schemaStatements } from './clickhouse-schema.js';
import { ClickHouseTraffic } from './clickhouse-traffic.js';

/** The columns that Kafka's engine gives a fact, in a table that keeps nothing. */
const QUEUE: QueueEngine = () => '(fact String, _offset UInt64) engine = Null';

/** The suite's events are of fixed days. */
const LISTED_DAYS = 3_650;

let server: LocalClickHouse;
let database: ServiceDatabase;
let clickHouse: ClickHouse;
let traffic: ClickHouseTraffic;
let handlers: TrafficHandlers;

beforeAll(async () => {
  [server, database] = await Promise.all([startClickHouse(), openAnalyticsDatabase()]);
  clickHouse = new ClickHouse({ url: server.url });
  await clickHouse.createDatabase();
  for (const statement of schemaStatements({ retentionDays: 3_660 }, QUEUE)) await clickHouse.run(statement);
  // What is told twice stays two rows, so that reads have to be right before a merge.
  await clickHouse.run('system stop merges');
  traffic = new ClickHouseTraffic(clickHouse, LISTED_DAYS);
  const reads = new ReportReads(database.openPool(2), traffic);
  handlers = new TrafficHandlers(new ReportOpener(reads, { calendarOf: () => ZONE }));
});

afterAll(async () => {
  await Promise.all([server.stop(), database.close()]);
});

async function tell(facts: readonly ReceivedFact[]): Promise<void> {
  for (const [queue, topic] of [
    ['event_queue', TOPICS.eventsStored.name],
    ['touch_queue', TOPICS.touchesRecorded.name],
  ] as const) {
    const told = facts.filter((fact) => fact.topic === topic);
    if (told.length === 0) continue;
    await clickHouse.run(
      `insert into ${queue} select fact, _offset from (
         select arrayJoin(arrayZip({facts:Array(String)}, {offsets:Array(UInt64)})) as row, row.1 as fact, row.2 as _offset)`,
      { facts: told.map(({ value }) => value ?? ''), offsets: told.map(({ offset }) => Number(offset)) },
    );
  }
}

describe('reports by ClickHouse', () => {
  trafficSuite({ tell, handlers: () => handlers, reads: (work) => work(traffic) });

  it('the answers of this suite were right although facts that were told twice were two rows', async () => {
    const count = async (final: string) =>
      (await clickHouse.rows<{ rows: number }>(`select count() as rows from events ${final}`))[0]?.rows ?? 0;
    const fact = eventFact(randomUUID(), { id: '0', type: 'page_view', session: 'a', minute: 0 });
    for (const told of [fact, fact]) await tell([told]);
    expect(await count('')).toBeGreaterThan(await count('final'));
  });
});

describe('erasures in ClickHouse', () => {
  const seen = (siteId: string, ...sessions: string[]) =>
    traffic.seenOf(
      siteId,
      sessions.map((session) => sessionKeyOf(siteId, session)),
    );
  const told = (siteId: string) => [
    ...['erased', 'erased', 'other'].map((session, index) =>
      eventFact(siteId, { id: String(index), type: 'page_view', session, minute: index }),
    ),
    touchFact(siteId, { id: 'touch', session: 'erased', provider: 'awin', minute: 0 }),
  ];

  beforeAll(async () => {
    // Mutations are a kind of merge.
    await clickHouse.run('system start merges');
    await database.owner.query(
      "insert into fact_progress (topic, partition, read_until) values ('clickhouse:all', 0, now() + interval '1 day')",
    );
  });

  it('the erasure of a person gives their sessions other keys, and counts events and touches that had them', async () => {
    const siteId = randomUUID();
    await tell(told(siteId));
    const pool = database.openPool(2);
    const report = await sessionErasure(pool, new ClickHouseErasure(clickHouse, pool)).step(
      erasureOf(siteId, ['erased', 'unknown']),
    );
    expect(report).toMatchObject({ cursor: null, found: 3, done: 3 });
    expect([await seen(siteId, 'erased'), await seen(siteId, 'other')]).toEqual([0, 1]);
  });

  it('facts that are told again after an erasure bring no key back, and later ones of the session count', async () => {
    const siteId = randomUUID();
    const facts = told(siteId);
    await tell(facts);
    const pool = database.openPool(2);
    const erasure = sessionErasure(pool, new ClickHouseErasure(clickHouse, pool));
    await erasure.step(erasureOf(siteId, ['erased']));
    await tell(facts);
    expect([await seen(siteId, 'erased'), await seen(siteId, 'other')]).toEqual([0, 1]);
    const known = { site: siteId, key: sessionKeyOf(siteId, 'erased') };
    const touches = await clickHouse.rows<{ session: string }>(
      'select session_key as session from touches final where site_id = {site:UUID}',
      known,
    );
    expect(touches).toHaveLength(1);
    expect(touches[0]?.session).not.toBe(known.key);
    const received_at = new Date(Date.now() + 60_000).toISOString();
    await tell([
      eventFact(siteId, { id: 'later', type: 'page_view', session: 'erased', minute: 9, received_at }),
    ]);
    expect(await seen(siteId, 'erased')).toBe(1);
  });

  it('facts are kept by a server whose joins give nulls, too', async () => {
    const siteId = randomUUID();
    await clickHouse.run('set join_use_nulls = 1');
    await tell(told(siteId));
    await clickHouse.run('set join_use_nulls = 0');
    expect(await seen(siteId, 'erased', 'other')).toBe(2);
  });

  it('the erasure of a site leaves none of its events, and counts them', async () => {
    const [siteId, other] = [randomUUID(), randomUUID()];
    await tell([...told(siteId), ...told(other)]);
    const pool = database.openPool(2);
    const erasure = analyticsErasure(pool, { elsewhere: new ClickHouseErasure(clickHouse, pool) });
    expect(await walkErasure(erasure, siteId, 50)).toMatchObject({ found: 3, done: 3 });
    expect([await seen(siteId, 'erased', 'other'), await seen(other, 'erased', 'other')]).toEqual([0, 2]);
    await tell(told(siteId));
    expect(await seen(siteId, 'erased', 'other')).toBe(0);
  });
});

describe("ClickHouse's copy after a restore of Postgres", () => {
  const event = (siteId: string, minute: number): ReceivedFact =>
    eventFact(siteId, { id: `event-${minute}`, type: 'page_view', session: 's', minute });

  const minutesOf = async (siteId: string): Promise<readonly number[]> => {
    const rows = await clickHouse.rows<{ micros: number }>(
      'select occurred_micros as micros from events final where site_id = {site:UUID} order by micros',
      { site: siteId },
    );
    return rows.map(({ micros }) => (micros / 1_000 - Date.parse(atMinute(0))) / 60_000);
  };

  it("ClickHouse's copy ends at the point, and then follows sites that exist again and no erased ones", async () => {
    const [siteId, undone, erased] = [randomUUID(), randomUUID(), randomUUID()];
    const restored = { restoredTo: new Date(atMinute(100)), erasedSites: [erased] };
    await tell([event(siteId, 99), event(siteId, 100), event(siteId, 101)]);
    await clickHouse.run('insert into erased_sites select arrayJoin({sites:Array(UUID)})', {
      sites: [undone, erased],
    });
    // Of an erasure after the point, which Postgres does not know.
    await clickHouse.run('insert into replaced_keys select {site:UUID}, {key:UUID}, now64(3)', {
      site: siteId,
      key: sessionKeyOf(siteId, 's'),
    });
    // Mutations are merges, too.
    await clickHouse.run('system start merges');
    // Twice: a command that ended in between is repeated.
    for (let time = 0; time < 2; time += 1) await takeBackCopy(clickHouse, restored);
    expect(await minutesOf(siteId)).toEqual([99]);
    const tables = await clickHouse.rows<{ name: string }>(
      'select name from system.tables where database = currentDatabase()',
    );
    expect(tables.map(({ name }) => name).toSorted()).toEqual([
      'erased_sites',
      'events',
      'replaced_keys',
      'touches',
    ]);
    for (const statement of schemaStatements({ retentionDays: 3_660 }, QUEUE))
      await clickHouse.run(statement);
    await tell([event(siteId, 100), event(undone, 101), event(erased, 101)]);
    expect(await minutesOf(siteId)).toEqual([99, 100]);
    expect([await minutesOf(undone), await minutesOf(erased)]).toEqual([[101], []]);
  });
});
