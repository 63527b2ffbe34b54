import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { Calendar, type Reply } from '@truetally/kernel';
import type { ReceivedFact } from '@truetally/messaging';
import fc from 'fast-check';
import { FunnelFold } from '../domain/funnel.js';
import { sessionKeyOf } from '../domain/keys.js';
import type { TrafficHandlers } from '../report-traffic/traffic.handlers.js';
import type { TrafficReads } from '../storage/traffic-reads.js';
import { atMinute, eventFact, idOf, type ToldEvent, touchFact } from './told-facts.js';

/** A store of traffic under test. */
export interface StoreUnderTest {
  /** Stores facts, in whatever order and however often they are told. */
  tell(facts: readonly ReceivedFact[]): Promise<void>;
  handlers(): TrafficHandlers;
  /** Its reads, with whatever transaction they need. */
  reads<T>(work: (reads: TrafficReads) => Promise<T>): Promise<T>;
}

/** The time zone of the suite's sites. */
export const ZONE = new Calendar('Europe/Berlin');
const MINUTES = 3_000;
const MINUTE_MICROS = 60_000_000;
const TYPES = ['page_view', 'product_view', 'purchase'];

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

export async function dataOf<T>(reply: Promise<Reply<T>>): Promise<T> {
  const given = await reply;
  if ('error' in given) throw new Error(JSON.stringify(given.error));
  return given.ok;
}

/** What every store answers, with equal figures. */
export function trafficSuite({ tell, handlers, reads }: StoreUnderTest): void {
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
            await tell(facts.map((one) => eventFact(siteId, one)));
          }
          const asked = { site_id: siteId, from: atMinute(window.from), to: atMinute(window.to) };
          const seen = new Set(told.filter(({ isBot }) => isBot !== true).map(({ session }) => session));
          const keys = ['a', 'b', 'c', 'unknown'].map((session) => sessionKeyOf(siteId, session));
          expect(await reads((traffic) => traffic.seenOf(siteId, keys))).toBe(
            ['a', 'b', 'c'].filter((session) => seen.has(session)).length,
          );
          const overview = await dataOf(handlers().overview(asked));
          expect(overview).toMatchObject(counted(told, window));
          const { series } = await dataOf(handlers().timeseries({ ...asked, interval }));
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
    await tell(told.map((one) => eventFact(siteId, one)));
    const asked = { site_id: siteId, from: '2026-01-01', to: '2026-01-02', steps: ['page_view', 'purchase'] };
    const short = await dataOf(handlers().funnel({ ...asked, window_minutes: 60, breakdown: 'device' }));
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
    const long = await dataOf(handlers().funnel({ ...asked, window_minutes: 90, breakdown: null }));
    expect([long.steps[1]?.sessions, long.breakdown]).toEqual([2, null]);
  });

  it('any funnel is what its fold over the events in their order is', async () => {
    const values = fc.constantFrom(null, 'device' as const, 'day' as const, 'provider' as const);
    const steps = fc.array(fc.constantFrom(...TYPES), { minLength: 2, maxLength: 4 });
    const asks = fc.record({
      steps,
      window_minutes: fc.integer({ min: 1, max: MINUTES }),
      breakdown: values,
    });
    await fc.assert(
      fc.asyncProperty(events, windows, asks, async (drawn, { from, to }, asked) => {
        const siteId = randomUUID();
        const told = drawn.map((one, index) => ({ ...one, device: ['mobile', 'desktop'][index % 3] }));
        const facts = told.map(({ device, ...one }) =>
          eventFact(siteId, { ...one, ...(device && { device }) }),
        );
        const touches = ['a', 'b', 'a'].map((session, index) =>
          touchFact(siteId, { id: String(index), session, provider: `p${index}`, minute: 9 - index }),
        );
        await tell([...facts, ...facts.slice(-2), ...touches]);
        const days = [0, 1, 2, 3, 4].map((day) => ZONE.startOf(`2026-01-0${day + 1}`) * 1_000);
        const { steps: wanted, window_minutes, breakdown } = asked;
        const fold = new FunnelFold(wanted, window_minutes * MINUTE_MICROS);
        const start = Date.parse(atMinute(0)) * 1_000;
        const inOrder = told
          .filter(
            ({ minute, type, isBot }) =>
              minute >= from && minute < to && wanted.includes(type) && isBot !== true,
          )
          .map((one, index) => ({ ...one, index, key: sessionKeyOf(siteId, one.session) }))
          .sort((one, other) =>
            one.key === other.key
              ? one.minute - other.minute || one.index - other.index
              : one.key < other.key
                ? -1
                : 1,
          );
        for (const { key, type, minute, device, session } of inOrder) {
          const at = start + minute * MINUTE_MICROS;
          const day = String(days.findLast((begin) => begin <= at));
          const provider = { a: 'p2', b: 'p1' }[session] ?? null;
          const byName = { device: device ?? null, day, provider, none: null };
          fold.take({ sessionKey: key, eventType: type, at, value: byName[breakdown ?? 'none'] });
        }
        const window = { from: start + from * MINUTE_MICROS, to: start + to * MINUTE_MICROS };
        const windowMicros = window_minutes * MINUTE_MICROS;
        const found = await reads((each) =>
          each.funnel({ siteId, window, steps: wanted, windowMicros, breakdown, days }),
        );
        expect(new Map(found)).toEqual(new Map(fold.finish()));
      }),
      { numRuns: 60 },
    );
  });

  it('events are listed newest first, by their type, session, request and ids, page by page', async () => {
    const siteId = randomUUID();
    const told = Array.from({ length: 7 }, (_, index) => ({
      id: String(index),
      type: index % 2 === 0 ? 'page_view' : 'search',
      session: index < 5 ? 'a' : 'b',
      minute: index,
    }));
    await tell([...told, ...told].map((one) => eventFact(siteId, one)));
    const any = {
      ...{ siteId, eventType: null, sessionKey: null, requestKey: null, eventIds: null, after: null },
      ...{ receivedFrom: null, receivedTo: null },
    };
    const listed = (filter: object) =>
      reads(async (each) => {
        const items = await each.page({ ...any, limit: 10, ...filter });
        return items.map(({ eventId }) => told.findIndex(({ id }) => idOf(siteId, id) === eventId));
      });
    expect(await listed({})).toEqual([6, 5, 4, 3, 2, 1, 0]);
    expect(await listed({ eventType: 'search' })).toEqual([5, 3, 1]);
    expect(await listed({ sessionKey: sessionKeyOf(siteId, 'b') })).toEqual([6, 5]);
    expect(await listed({ requestKey: sessionKeyOf(siteId, 'b') })).toEqual([]);
    expect(await listed({ eventIds: [idOf(siteId, '3'), randomUUID()] })).toEqual([3]);
    const [first] = await reads((each) => each.page({ ...any, limit: 3 })).then((page) => page.slice(-1));
    expect(first?.receivedAt).toBe(atMinute(4));
    const after = { at: first?.at ?? '', id: first?.eventId ?? '' };
    expect(await listed({ after, limit: 3 })).toEqual([3, 2, 1]);
  });

  it('events of any year are counted in their millisecond', async () => {
    const siteId = randomUUID();
    const times = ['0001-01-01T00:00:00.000Z', '1899-12-31T23:59:59.999999Z', '2024-02-29T12:00:00.123456Z'];
    await tell(times.map((occurred_at, index) => eventFact(siteId, { ...plainEvent(index), occurred_at })));
    for (const time of times) {
      const from = `${time.slice(0, '0001-01-01T00:00:00.000'.length)}Z`;
      const to = new Date(Date.parse(from) + 1).toISOString();
      const overview = await dataOf(handlers().overview({ site_id: siteId, from, to }));
      expect([time, overview.events, overview.sessions]).toEqual([time, 1, 1]);
    }
  });
}

function plainEvent(index: number): ToldEvent {
  return { id: String(index), type: 'page_view', session: String(index), minute: 0 };
}
