import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_REPORT_SUMS, type PublisherReport } from '@truetally/contracts/publisher';
import type { Reply } from '@truetally/kernel';
import type { ServiceDatabase } from '@truetally/testing-product';
import { SiteDirectory } from '../sites/site-directory.js';
import { ReportReads } from '../storage/report-reads.js';
import { SiteScopes } from '../storage/site-scope.js';
import { openPublisherDatabase } from '../testing/publisher-database.js';
import { ReadReportHandler } from './read-report.handler.js';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
/** What an answer may have on its way through Kafka, with its envelope. */
const MOST_ANSWER_BYTES = 7 * 1_024 * 1_024;
const CURRENCIES = ['', 'EUR', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK'];
const DAYS = MAX_REPORT_SUMS / CURRENCIES.length;

let database: ServiceDatabase;
let handler: ReadReportHandler;
const siteId = randomUUID();

beforeAll(async () => {
  database = await openPublisherDatabase();
  const reads = new ReportReads(database.openPool(1));
  handler = new ReadReportHandler(reads, new SiteScopes(() => 'UTC'), new SiteDirectory(QUIET));
  // Counts and amounts as long as they come.
  await database.owner.query(
    `insert into report_totals (site_id, level, start, currency, approved_count, pending_count, reversed_count, commissionable,
       approved_commission, pending_commission, declined_commission, reversed_commission, clicks)
     select $1, 'day', date '2020-01-01' + n, currency, 1000000, 1000000, 1000000, 1234567890123, 123456789012, 123456789012,
       123456789012, 123456789012, 1000000
     from generate_series(0, $2 - 1) as n cross join unnest($3::text[]) as currency`,
    [siteId, DAYS, CURRENCIES],
  );
});

afterAll(() => database.close());

function readDays(to: string): Promise<Reply<object>> {
  return handler.handle({ site_id: siteId, from: '2020-01-01', to, interval: 'day' });
}

describe('the size of a report', () => {
  it('a report of as many days and currencies as it may have fits the message that brings it', async () => {
    const reply = (await readDays('2024-02-09')) as Reply<PublisherReport>;
    if ('error' in reply) throw new Error(JSON.stringify(reply.error));
    expect(reply.ok.series).toHaveLength(DAYS);
    expect(reply.ok.series.at(-1)?.currencies).toHaveLength(CURRENCIES.length - 1);
    expect(Buffer.byteLength(JSON.stringify(reply.ok))).toBeLessThan(MOST_ANSWER_BYTES);
  });

  it('a report of more is refused with what to narrow', async () => {
    await database.owner.query(
      `insert into report_totals (site_id, level, start, currency) values ($1, 'day', '2024-02-09', '')`,
      [siteId],
    );
    const message = expect.stringContaining('15,000 sums of a day and currency; take a shorter window');
    expect(await readDays('2024-02-10')).toMatchObject({
      error: { code: 'VALIDATION_ERROR', details: { from: [message], interval: [message] } },
    });
    expect(await readDays('2024-02-09')).toHaveProperty('ok');
  });
});
