import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SITE_RECORD, type SiteRecord } from '@truetally/contracts/facts';
import { inTransaction } from '@truetally/persistence';
import { eventually } from '@truetally/testing';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { openPublisherDatabase } from '../testing/publisher-database.js';
import { ReportRebuild } from '../storage/report-rebuild.js';
import { SettlementStore } from '../storage/settlement.store.js';
import { SiteScopes } from '../storage/site-scope.js';
import { CalendarKeeper } from './calendar-keeper.js';
import { SiteDirectory } from './site-directory.js';

const QUIET = { info: () => undefined, warn: () => undefined, error: () => undefined };
const NEVER_MS = 3_600_000;

const SITE: Omit<SiteRecord, 'site_id' | 'timezone'> = {
  workspace_id: 'workspace',
  name: 'Magazine',
  domain: 'magazine.example',
  allowed_origins: [],
  suspended: false,
  currency: 'EUR',
  publisher_mode: 'active',
  partner: { providers: ['awin'], touch_limit: 20, attribution_model: 'last_touch', lookback_days: 30 },
  runtime_hourly_limit: 100_000,
  version: 1,
};

let database: ServiceDatabase;
let pool: Pool;
let sites: SiteDirectory;
let scopes: SiteScopes;
let keeper: CalendarKeeper;

beforeAll(async () => {
  database = await openPublisherDatabase();
  pool = database.openPool(4);
});

afterAll(() => database.close());

beforeEach(() => {
  sites = new SiteDirectory(QUIET);
  scopes = new SiteScopes((siteId) => sites.timeZoneOf(siteId));
  keeper = new CalendarKeeper(sites, new ReportRebuild(pool, scopes), QUIET);
});

afterEach(() => keeper.stop());

function move(siteId: string, timezone: string): void {
  sites.apply(siteId, SITE_RECORD.encode({ ...SITE, site_id: siteId, timezone }));
}

/** The first transaction of a site writes the zone of its sums. */
async function firstFact(siteId: string): Promise<void> {
  await inTransaction(pool, (client) => new SettlementStore(scopes).begin(client, siteId));
}

async function zoneOf(siteId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ timezone: string }>(
    'select timezone from site_calendars where site_id = $1',
    [siteId],
  );
  return rows[0]?.timezone;
}

const becomes = (siteId: string, zone: string) =>
  eventually(async () => (await zoneOf(siteId)) === zone, { message: `the sums to be kept in ${zone}` });

describe('the sums of a site', () => {
  it('get the last of several time zones, also of one that is told while they are moved to the one before', async () => {
    const siteId = randomUUID();
    move(siteId, 'UTC');
    await firstFact(siteId);
    await keeper.start(pool, NEVER_MS);
    const holder = await pool.connect();
    await holder.query('begin');
    // As a long transaction of the site does.
    await scopes.open(holder, [siteId]);
    move(siteId, 'Europe/Berlin');
    await eventually(async () => {
      const waiting = await database.owner.query(
        `select from pg_stat_activity where wait_event = 'advisory' and query like '%publisher-analytics%'
           and datname = current_database()`,
      );
      return (waiting.rowCount ?? 0) > 0;
    });
    move(siteId, 'America/New_York');
    await holder.query('commit');
    holder.release();
    await becomes(siteId, 'America/New_York');
  });

  it('get the zone of a site whose first fact comes after its first click', async () => {
    const siteId = randomUUID();
    await firstFact(siteId);
    expect(await zoneOf(siteId)).toBe('UTC');
    await keeper.start(pool, NEVER_MS);
    move(siteId, 'Europe/Berlin');
    await becomes(siteId, 'Europe/Berlin');
  });

  it('the sums of a site are compared from time to time, as a click may be stored with the first fact', async () => {
    const siteId = randomUUID();
    await keeper.start(pool, 20);
    const storing = await pool.connect();
    await storing.query('begin');
    await scopes.open(storing, [siteId]);
    move(siteId, 'Europe/Berlin');
    // Waits for nothing: the row of the zone is not committed yet.
    await new ReportRebuild(pool, scopes).moveTo(siteId, 'Europe/Berlin');
    await storing.query('commit');
    storing.release();
    await becomes(siteId, 'Europe/Berlin');
  });

  it('the sums of a site are moved by statements that take longer than those of other transactions may', async () => {
    const siteId = randomUUID();
    await firstFact(siteId);
    const { owner } = database;
    await owner.query(`
      create function linger() returns trigger language plpgsql as $$
        begin perform pg_sleep(4); return null; end $$;
      create trigger linger before delete on report_totals for each statement execute function linger()`);
    const impatient = database.openPool(1);
    Object.assign(impatient.options, { query_timeout: 3_000 });
    expect(await new ReportRebuild(impatient, scopes).moveTo(siteId, 'Europe/Berlin')).toBe(true);
    await owner.query('drop function linger cascade');
    expect(await zoneOf(siteId)).toBe('Europe/Berlin');
  });

  it('get no zone when the site was erased', async () => {
    const siteId = randomUUID();
    await database.owner.query('select announce_erasure($1)', [siteId]);
    await firstFact(siteId);
    expect(await zoneOf(siteId)).toBeUndefined();
  });
});
