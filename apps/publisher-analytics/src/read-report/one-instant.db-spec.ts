import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PublisherReport } from '@truetally/contracts/publisher';
import type { Reply } from '@truetally/kernel';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { SiteDirectory } from '../sites/site-directory.js';
import { ReportReads } from '../storage/report-reads.js';
import { ReportRebuild } from '../storage/report-rebuild.js';
import { SiteScopes } from '../storage/site-scope.js';
import { ofSite, openPublisherDatabase, PublisherReplica } from '../testing/publisher-database.js';
import type { Told } from '../testing/publisher-model.js';
import { betweenQueries } from '../testing/between-queries.js';
import { ReadReportHandler } from './read-report.handler.js';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const ZONES = ['Europe/Berlin', 'Pacific/Honolulu'];
/** When the day of the clicks begins, by zone. */
const DAY_OF: Readonly<Record<string, string>> = {
  'Europe/Berlin': '2026-03-09T23:00:00.000Z',
  'Pacific/Honolulu': '2026-03-09T10:00:00.000Z',
};

let database: ServiceDatabase;
let pool: Pool;
const siteId = randomUUID();
let clicks = 0;

beforeAll(async () => {
  database = await openPublisherDatabase();
  pool = database.openPool(2);
});

afterAll(() => database.close());

/** Shortly after midnight in Berlin: in Honolulu it is the day before. */
function click(): Told {
  clicks += 1;
  const counted = {
    hash: `hash-${clicks}`,
    click: {
      eventId: `event-${clicks}`,
      siteId,
      provider: 'awin',
      occurredAt: '2026-03-09T23:30:00.000Z',
      receivedAt: '2026-03-09T23:30:00.000Z',
      isBot: false,
      partnerId: null,
      campaignId: null,
      contentId: 'guide',
      placementId: null,
      creativeId: null,
      destinationHost: 'partner.example',
      destinationPath: '/a',
    },
  };
  return ofSite({ kind: 'click', counted }, siteId);
}

async function readWith(disturb: () => Promise<void>): Promise<PublisherReport> {
  const scopes = new SiteScopes(() => ZONES[0]);
  const reads = new ReportReads(betweenQueries(database.openPool(1), disturb));
  const handler = new ReadReportHandler(reads, scopes, new SiteDirectory(QUIET));
  const request = { site_id: siteId, from: '2026-03-01', to: '2026-04-01', interval: 'day' } as const;
  const reply = (await handler.handle(request)) as Reply<PublisherReport>;
  if ('error' in reply) throw new Error(reply.error.message);
  return reply.ok;
}

describe('a report', () => {
  it('a report has the same clicks in its total, contents and destinations while clicks are stored', async () => {
    const replica = new PublisherReplica(pool, ZONES[0] ?? '');
    await replica.tell(siteId, [click()]);
    const before = clicks;
    const report = await readWith(() => replica.tell(siteId, [click()]));
    expect(clicks).toBeGreaterThan(before);
    const { observed_clicks: observed, top_content, top_destinations, reference_correlation } = report;
    expect(top_content.map((item) => item.clicks)).toEqual([observed]);
    expect(top_destinations.map((item) => item.clicks)).toEqual([observed]);
    expect(reference_correlation.clicks_with_reference).toBe(observed);
  });

  it('a report has the days of the time zone that it names while sums move to another one', async () => {
    const rebuild = new ReportRebuild(pool, new SiteScopes(() => ZONES[0]));
    let moves = 0;
    const report = await readWith(async () => {
      moves += 1;
      await rebuild.moveTo(siteId, ZONES[moves % ZONES.length] ?? '');
    });
    expect(moves).toBeGreaterThan(1);
    const day = report.series.find((point) => point.clicks > 0)?.start;
    expect(day).toBe(DAY_OF[report.timezone]);
  });
});
