import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@truetally/kernel';
import type { ServiceDatabase } from '@truetally/testing-product';
import type { Pool } from 'pg';
import { toldBy } from '../fold-facts/fold-facts.js';
import { ReportOpener } from '../report-traffic/report-opener.js';
import { TrafficHandlers } from '../report-traffic/traffic.handlers.js';
import { openAnalyticsDatabase } from '../testing/analytics-database.js';
import { impatientPool, repeated, untilAllSilent } from '../testing/silent-transactions.js';
import { atMinute, eventFact, idOf, touchFact } from '../testing/told-facts.js';
import { dataOf, trafficSuite, ZONE } from '../testing/traffic-suite.js';
import { verifySums } from '../verify-sums/verify-sums.js';
import { sweepOnce } from './event-sweeper.js';
import { FoldStore } from './fold.store.js';
import { readFunnel } from './funnel-reads.js';
import { ReportReads } from './report-reads.js';
import type { FunnelCounts } from './traffic-reads.js';

const SITES = { localeOf: () => ({ timeZone: 'Europe/Berlin', currency: 'EUR' }) };
const ALL = { since: new Date(0), basketsSince: 0, most: 5 };

let database: ServiceDatabase;
let pool: Pool;
let store: FoldStore;
let reads: ReportReads;
let handlers: TrafficHandlers;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
  pool = database.openPool(2);
  store = new FoldStore(pool);
  reads = new ReportReads(pool);
  handlers = new TrafficHandlers(new ReportOpener(reads, { calendarOf: () => ZONE }));
});

afterAll(() => database.close());

describe('reports by Postgres', () => {
  trafficSuite({
    tell: async (facts) => store.fold(await toldBy(facts, SITES)),
    handlers: () => handlers,
    reads: (work) => reads.atOnce(({ traffic }) => work(traffic)),
  });

  it('a funnel is the same whether its sessions are read at once or event by event', async () => {
    const siteId = randomUUID();
    const types = ['page_view', 'product_view', 'search'];
    const told = Array.from({ length: 120 }, (_, index) => ({
      id: String(index),
      type: types[(index * 7 + (index >> 3)) % types.length] ?? '',
      // Of 1 to 15 events.
      session: `s${Math.floor(Math.sqrt(2 * index))}`,
      minute: (index * 37) % 2_000,
      device: `d${index % 4}`,
    }));
    const touches = [1, 5, 14].map((n) =>
      touchFact(siteId, { id: `t${n}`, session: `s${n}`, provider: n > 9 ? 'awin' : 'cj', minute: n }),
    );
    await store.fold(await toldBy([...told.map((one) => eventFact(siteId, one)), ...touches], SITES));
    const [from, day] = [Date.parse(atMinute(0)) * 1_000, 86_400_000_000];
    const client = await pool.connect();
    try {
      for (const breakdown of [null, 'device', 'provider', 'day'] as const) {
        const question = {
          siteId,
          window: { from, to: from + 2 * day },
          steps: types,
          windowMicros: day,
          breakdown,
          days: [from, from + day],
        };
        const read: FunnelCounts[] = [];
        for (const atOnce of [1, 5, 1_000]) {
          await client.query('begin');
          read.push(await readFunnel(client, question, atOnce));
          await client.query('commit');
        }
        const [byEvents, mixed, atOnce] = read;
        expect(atOnce?.size).toBeGreaterThan(0);
        expect([byEvents, mixed]).toEqual([atOnce, atOnce]);
      }
    } finally {
      client.release();
    }
  });

  it('every sum is what its rows make, after all of these', async () => {
    expect(await verifySums(database.owner, ALL)).toEqual([]);
  });

  it('the verification finds a sum that is wrong, one that is missing, and one too many', async () => {
    const siteId = randomUUID();
    await store.fold(
      await toldBy([eventFact(siteId, { id: '1', type: 'page_view', session: 'a', minute: 1 })], SITES),
    );
    await database.owner.query('update event_sums set events = events + 1 where site_id = $1', [siteId]);
    await database.owner.query('delete from session_spans where site_id = $1', [siteId]);
    await database.owner.query('insert into session_quarters values ($1, $1, 7)', [siteId]);
    const wrong = await verifySums(database.owner, ALL);
    expect(wrong.map(({ table, kept, computed }) => [table, kept, computed])).toEqual([
      ['event_sums', '2', '1'],
      ['session_quarters', '1', null],
      ['session_spans', null, '1'],
      ['session_spans', null, '1'],
    ]);
    for (const table of ['event_sums', 'session_quarters', 'session_spans', 'event_blocks']) {
      await database.owner.query(`delete from ${table} where site_id = $1`, [siteId]);
    }
  });

  it('events are forgotten by their age, and their sums stay, also when they are published again', async () => {
    const siteId = randomUUID();
    const told = { type: 'page_view', session: 'a' };
    await store.fold(await toldBy([eventFact(siteId, { ...told, id: '1', minute: 1 })], SITES));
    await store.fold(await toldBy([eventFact(siteId, { ...told, id: '2', minute: 99 })], SITES));
    await database.owner.query(
      'update event_blocks set received_to = now() where site_id = $1 and received_from = $2',
      [siteId, atMinute(99)],
    );
    await sweepOnce(database.openPool(1), 31, { aborted: false });
    // Published again before and after it was forgotten.
    for (const days of [30, 32]) {
      const again = eventFact(siteId, { ...told, id: days < 31 ? '2' : '1', minute: days < 31 ? 99 : 1 });
      const timestampMs = Date.parse(atMinute(99)) + days * DAY_MS;
      await store.fold(await toldBy([{ ...again, timestampMs }], SITES, { keptMs: 31 * DAY_MS }));
    }
    const { rows } = await database.owner.query('select event_id from events where site_id = $1', [siteId]);
    expect(rows).toEqual([{ event_id: idOf(siteId, '2') }]);
    const overview = await dataOf(
      handlers.overview({ site_id: siteId, from: '2026-01-01', to: '2026-01-02' }),
    );
    expect([overview.events, overview.sessions]).toEqual([2, 1]);
    await database.owner.query('delete from event_sums where site_id = $1', [siteId]);
    await database.owner.query('delete from session_quarters where site_id = $1', [siteId]);
    await database.owner.query('delete from session_spans where site_id = $1', [siteId]);
    await database.owner.query('delete from event_blocks where site_id = $1', [siteId]);
  });
});

describe('reports of another store', () => {
  it('one for which the other store takes longer than a transaction may be silent is answered', async () => {
    const siteId = randomUUID();
    const impatient = impatientPool(database);
    const traffic = async () => {
      await untilAllSilent(database);
      return { byType: new Map([['page_view', 7]]), sessions: 3 };
    };
    const slow = new ReportReads(impatient, { traffic } as never);
    const asked = { site_id: siteId, from: '2026-01-01', to: '2026-01-02' };
    const overview = await repeated(() =>
      dataOf(new TrafficHandlers(new ReportOpener(slow, { calendarOf: () => ZONE })).overview(asked)),
    ).finally(() => impatient.end());
    expect([overview.events, overview.sessions]).toEqual([7, 3]);
  });
});
