import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import type { ReceivedFact } from '@truetally/messaging';
import { type LocalClickHouse, startClickHouse } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import { ReportOpener } from '../report-traffic/report-opener.js';
import { TrafficHandlers } from '../report-traffic/traffic.handlers.js';
import { ReportReads } from '../storage/report-reads.js';
import { openAnalyticsDatabase } from '../testing/analytics-database.js';
import { trafficSuite, ZONE } from '../testing/traffic-suite.js';
import { ClickHouse } from './clickhouse-client.js';
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
    expect(await count('')).toBeGreaterThan(await count('final'));
  });
});
