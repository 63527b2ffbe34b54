import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Reply } from '@truetally/kernel';
import { Calendar } from '@truetally/kernel';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import { toldBy } from '../fold-facts/fold-facts.js';
import { ReportOpener } from '../report-traffic/report-opener.js';
import { TrafficHandlers } from '../report-traffic/traffic.handlers.js';
import { openAnalyticsDatabase } from '../testing/analytics-database.js';
import { atMinute, eventFact, idOf, type ToldEvent } from '../testing/told-facts.js';
import { verifySums } from '../verify-sums/verify-sums.js';
import { EventSweeper } from './event-sweeper.js';
import { FoldStore } from './fold.store.js';
import { ReportReads } from './report-reads.js';

const SITES = { localeOf: () => ({ timeZone: 'Europe/Berlin', currency: 'EUR' }) };
const ZONE = new Calendar('Europe/Berlin');
const MINUTES = 3_000;
const ALL = { since: new Date(0), basketsSince: 0, most: 5 };
const TYPES = ['page_view', 'product_view', 'purchase'];

let database: ServiceDatabase;
let store: FoldStore;
let handlers: TrafficHandlers;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
  const pool = database.openPool(2);
  store = new FoldStore(pool);
  handlers = new TrafficHandlers(new ReportOpener(new ReportReads(pool), { calendarOf: () => ZONE }));
});

afterAll(() => database.close());

const events: fc.Arbitrary<readonly ToldEvent[]> = fc
  .array(
    fc.record({
      type: fc.constantFrom(...TYPES),
      session: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      minute: fc.nat(MINUTES),
      isBot: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
    { maxLength: 60 },
  )
  .map((drawn) => drawn.map((one, index) => ({ ...one, id: String(index), amount: 1, order: 'o' })));
const windows = fc
  .tuple(fc.nat(MINUTES), fc.integer({ min: 1, max: MINUTES }))
  .map(([from, length]) => ({ from, to: from + length }));

function counted(told: readonly ToldEvent[], { from, to }: { from: number; to: number }) {
  const inside = told.filter(({ minute, isBot }) => isBot !== true && minute >= from && minute < to);
  const types = TYPES.map((type) => [type, inside.filter((one) => one.type === type).length] as const);
  return {
    events: inside.length,
    sessions: new Set(inside.map(({ session }) => session)).size,
    by_type: Object.fromEntries(types.filter(([, count]) => count > 0)),
  };
}

async function dataOf<T>(reply: Promise<Reply<T>>): Promise<T> {
  const given = await reply;
  if ('error' in given) throw new Error(JSON.stringify(given.error));
  return given.ok;
}

describe('reports over folded events', () => {
  it('reports count what a plain reading counts, in whatever batches and order facts come, and repeated', async () => {
    const cut = fc.array(fc.nat(60), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        events,
        windows,
        cut,
        fc.constantFrom('hour' as const, 'day' as const),
        async (told, window, cuts, interval) => {
          const siteId = randomUUID();
          const bounds = [0, ...cuts.toSorted((one, other) => one - other), told.length];
          for (const [index, end] of bounds.entries()) {
            const facts = told.slice(Math.max(0, (bounds[index - 1] ?? 0) - 2), end);
            await store.fold(
              toldBy(
                facts.map((one) => eventFact(siteId, one)),
                SITES,
              ),
            );
          }
          const asked = { site_id: siteId, from: atMinute(window.from), to: atMinute(window.to) };
          const overview = await dataOf(handlers.overview(asked));
          expect(overview).toMatchObject(counted(told, window));
          const { series } = await dataOf(handlers.timeseries({ ...asked, interval }));
          expect(series.reduce((sum, point) => sum + point.events, 0)).toBe(overview.events);
          series.forEach((point, index) => {
            const minute = (text: string) => (Date.parse(text) - Date.parse(atMinute(0))) / 60_000;
            const next = series[index + 1];
            const from = Math.max(window.from, minute(point.start));
            const to = next === undefined ? window.to : minute(next.start);
            const { start, ...point_ } = point;
            expect([start, point_]).toEqual([start, counted(told, { from, to })]);
          });
        },
      ),
      { numRuns: 40 },
    );
    expect(await verifySums(database.owner, ALL)).toEqual([]);
  });

  it('the verification finds a sum that is wrong, one that is missing, and one too many', async () => {
    const siteId = randomUUID();
    await store.fold(
      toldBy([eventFact(siteId, { id: '1', type: 'page_view', session: 'a', minute: 1 })], SITES),
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
    for (const table of ['event_sums', 'session_quarters', 'session_spans', 'events']) {
      await database.owner.query(`delete from ${table} where site_id = $1`, [siteId]);
    }
  });

  it('events are forgotten by their age, and their sums stay', async () => {
    const siteId = randomUUID();
    const told = { type: 'page_view', session: 'a' };
    const facts = [
      eventFact(siteId, { ...told, id: '1', minute: 1 }),
      eventFact(siteId, { ...told, id: '2', minute: 99 }),
    ];
    await store.fold(toldBy(facts, SITES));
    await database.owner.query('update events set received_at = now() where event_id = $1', [
      idOf(siteId, '2'),
    ]);
    await new EventSweeper(database.openPool(1), 31, { warn: () => undefined }).sweep();
    const { rows } = await database.owner.query('select event_id from events where site_id = $1', [siteId]);
    expect(rows).toEqual([{ event_id: idOf(siteId, '2') }]);
    const overview = await dataOf(
      handlers.overview({ site_id: siteId, from: '2026-01-01', to: '2026-01-02' }),
    );
    expect([overview.events, overview.sessions]).toEqual([2, 1]);
    await database.owner.query('delete from event_sums where site_id = $1', [siteId]);
    await database.owner.query('delete from session_quarters where site_id = $1', [siteId]);
    await database.owner.query('delete from session_spans where site_id = $1', [siteId]);
    await database.owner.query('delete from events where site_id = $1', [siteId]);
  });

  it('a funnel goes by session, order and time, and its breakdowns add up to it', async () => {
    const siteId = randomUUID();
    const told: readonly ToldEvent[] = [
      { id: '1', type: 'page_view', session: 'a', minute: 0, device: 'mobile' },
      { id: '2', type: 'purchase', session: 'a', minute: 30, amount: 1, order: '1' },
      { id: '3', type: 'purchase', session: 'b', minute: 0, amount: 1, order: '2', device: 'desktop' },
      { id: '4', type: 'page_view', session: 'b', minute: 1, device: 'desktop' },
      { id: '5', type: 'page_view', session: 'c', minute: 0 },
      { id: '6', type: 'purchase', session: 'c', minute: 90, amount: 1, order: '3' },
      { id: '7', type: 'page_view', session: 'd', minute: 0, isBot: true },
    ];
    await store.fold(
      toldBy(
        told.map((one) => eventFact(siteId, one)),
        SITES,
      ),
    );
    const asked = { site_id: siteId, from: '2026-01-01', to: '2026-01-02', steps: ['page_view', 'purchase'] };
    const short = await dataOf(handlers.funnel({ ...asked, window_minutes: 60, breakdown: 'device' }));
    expect(short.steps).toEqual([
      { event_type: 'page_view', sessions: 3, share: 1 },
      { event_type: 'purchase', sessions: 1, share: 1 / 3 },
    ]);
    expect(
      short.breakdown?.map(({ value, steps }) => [value, ...steps.map(({ sessions }) => sessions)]),
    ).toEqual([
      ['desktop', 1, 0],
      ['mobile', 1, 1],
      [null, 1, 0],
    ]);
    const long = await dataOf(handlers.funnel({ ...asked, window_minutes: 90, breakdown: null }));
    expect([long.steps[1]?.sessions, long.breakdown]).toEqual([2, null]);
  });
});
