import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REVENUE_PARTS, type RevenueItem, type RevenuePart } from '@truetally/contracts/analytics';
import { Calendar, parseDecimal, toMinor } from '@truetally/kernel';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { toldBy } from '../fold-facts/fold-facts.js';
import { RevenueHandlers } from '../report-revenue/revenue.handlers.js';
import { ReportOpener } from '../report-traffic/report-opener.js';
import { openAnalyticsDatabase } from '../testing/analytics-database.js';
import {
  atMinute,
  entryFact,
  eventFact,
  idOf,
  type ToldEntry,
  type ToldEvent,
} from '../testing/told-facts.js';
import { verifySums } from '../verify-sums/verify-sums.js';
import { FoldStore } from './fold.store.js';
import { ReportReads } from './report-reads.js';

const SITES = { localeOf: () => ({ timeZone: 'UTC', currency: 'EUR' }) };
const DIGITS = { EUR: 2, JPY: 0 } as const;
const MINUTES = 1_000;

let database: ServiceDatabase;
let pool: Pool;
let store: FoldStore;
let handlers: RevenueHandlers;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
  pool = database.openPool(2);
  store = new FoldStore(pool);
  handlers = new RevenueHandlers(
    new ReportOpener(new ReportReads(pool), { calendarOf: () => new Calendar('UTC') }),
  );
});

afterAll(() => database.close());

const currencies = fc.constantFrom('EUR' as const, 'JPY' as const);
const orders = fc.constantFrom('1', '2', '3', '4', '5');
const observed = fc.array(
  fc.record({
    order: orders,
    minute: fc.nat(MINUTES),
    amount: fc.integer({ min: 0, max: 5 }),
    currency: currencies,
  }),
  { maxLength: 12 },
);
const recorded = fc.uniqueArray(
  fc.record({
    order: orders,
    minute: fc.nat(MINUTES),
    amount: fc.integer({ min: 0, max: 5 }),
    currency: currencies,
    later: fc.array(fc.tuple(fc.constantFrom('adjustment', 'cancellation'), fc.nat(MINUTES)), {
      maxLength: 2,
    }),
  }),
  { selector: ({ order }) => order, maxLength: 5 },
);

function minor(text: string, currency: string): bigint {
  const decimal = parseDecimal(text);
  const value = decimal === undefined ? undefined : toMinor(decimal, currency === 'JPY' ? 0 : 2);
  if (value === undefined) throw new Error(`${text} is no amount of ${currency}.`);
  return value;
}

async function reportOf(siteId: string, from: number, to: number) {
  const reply = await handlers.report({ site_id: siteId, from: atMinute(from), to: atMinute(to) });
  if ('error' in reply) throw new Error(JSON.stringify(reply.error));
  return reply.ok;
}

async function itemsOf(siteId: string, from: number, to: number, part: RevenuePart, currency: string) {
  const items: RevenueItem[] = [];
  let cursor: string | null = null;
  do {
    const asked = {
      site_id: siteId,
      from: atMinute(from),
      to: atMinute(to),
      part,
      currency,
      limit: 2,
      cursor,
    };
    const reply = await handlers.items(asked);
    if ('error' in reply) throw new Error(JSON.stringify(reply.error));
    items.push(...reply.ok.items);
    cursor = reply.ok.next_cursor;
  } while (cursor !== null);
  return items;
}

describe('the difference of two revenues', () => {
  it('its parts sum to it for any orders, events, arrivals and windows, and their items are real', async () => {
    await fc.assert(
      fc.asyncProperty(
        observed,
        recorded,
        fc.tuple(fc.nat(MINUTES), fc.integer({ min: 1, max: MINUTES })),
        fc.infiniteStream(fc.nat(1_000)),
        async (seen, written, [from, length], order) => {
          const siteId = randomUUID();
          const to = from + length;
          const events: ToldEvent[] = seen.map((one, index) => ({
            ...one,
            id: `event-${index}`,
            type: 'purchase',
            session: 's',
          }));
          const entries: ToldEntry[] = written.flatMap(({ later, ...one }) => [
            { ...one, id: `purchase-${one.order}`, type: 'purchase' as const, amount: BigInt(one.amount) },
            ...later.map(([type, minute], index) => ({
              ...one,
              id: `${type}-${one.order}-${index}`,
              type: type as 'adjustment' | 'cancellation',
              minute,
              amount: BigInt(-index - 1),
            })),
          ]);
          const facts = [
            ...events.map((one) => eventFact(siteId, one)),
            ...entries.map((one) => entryFact(siteId, one)),
          ].map((fact) => ({ fact, place: order.next().value ?? 0 }));
          const arrived = facts.toSorted((one, other) => one.place - other.place).map(({ fact }) => fact);
          const half = Math.floor(arrived.length / 2);
          await store.fold(await toldBy(arrived.slice(0, half), SITES));
          await balanced(siteId, from, to);
          await store.fold(await toldBy(arrived.slice(Math.max(0, half - 1)), SITES));
          const report = await balanced(siteId, from, to);
          const known = new Set([...events, ...entries].map(({ id }) => idOf(siteId, id)));
          const isInside = ({ minute }: { readonly minute: number }) => minute >= from && minute < to;
          for (const { currency, observed: side, authoritative, parts } of report.currencies) {
            const mine = events.filter((one) => one.currency === currency && isInside(one));
            expect(side.events).toBe(mine.length);
            const digits = DIGITS[currency === 'JPY' ? 'JPY' : 'EUR'];
            const amount =
              mine.reduce((sum, one) => sum + BigInt(one.amount ?? 0), 0n) * 10n ** BigInt(digits);
            expect(minor(side.amount, currency)).toBe(amount);
            const own = entries.filter((one) => one.currency === currency && isInside(one));
            expect(minor(authoritative.amount, currency)).toBe(
              own.reduce((sum, one) => sum + one.amount, 0n),
            );
            for (const { part, count, amount: partAmount } of parts) {
              const items = await itemsOf(siteId, from, to, part, currency);
              expect(items.length).toBe(count);
              const sum = items.reduce((total, item) => total + minor(item.amount, currency), 0n);
              expect(sum).toBe(minor(partAmount, currency));
              for (const { event_id, record_id } of items) {
                for (const id of [event_id, record_id]) if (id !== null) expect(known.has(id)).toBe(true);
              }
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('an event that is stored again under its id, behind its deduplication, is two events in every figure', async () => {
    const siteId = randomUUID();
    const event = { id: 'e', type: 'purchase', session: 's', minute: 50, amount: 12, currency: 'EUR' };
    const stored = [0, 31, 62].map((day) =>
      eventFact(siteId, { ...event, received_at: atMinute(day * 1_440) }),
    );
    for (const fact of [...stored, ...stored]) await store.fold(await toldBy([fact], SITES));
    const {
      currencies: [sum],
    } = await balanced(siteId, 0, 100);
    expect(sum?.observed).toMatchObject({ events: 3, amount: '36.00' });
    expect(await itemsOf(siteId, 0, 100, 'events_without_order', 'EUR')).toHaveLength(3);
    const order = { type: 'purchase', order: '1', minute: 60, amount: 1_200n, currency: 'EUR' } as const;
    await store.fold(await toldBy([entryFact(siteId, { ...order, id: 'p' })], SITES));
    const ofOrder = { ...event, id: 'of the order', order: '1' };
    for (const day of [0, 31, 62]) {
      const fact = eventFact(siteId, { ...ofOrder, received_at: atMinute(day * 1_440) });
      await store.fold(await toldBy([fact], SITES));
    }
    await balanced(siteId, 0, 100);
    expect(await itemsOf(siteId, 0, 100, 'repeated_events', 'EUR')).toHaveLength(2);
    const events = await pool.query<{ events: number }>(
      "select sum(events)::integer as events from event_sums where site_id = $1 and event_type = 'purchase'",
      [siteId],
    );
    expect(events.rows).toEqual([{ events: 6 }]);
    const wrong = await verifySums(database.owner, { since: new Date(0), basketsSince: 0, most: 1_000 });
    expect(wrong.filter((one) => one.siteId === siteId)).toEqual([]);
  });

  it('a fact that comes late moves its event to another part', async () => {
    const siteId = randomUUID();
    const partsOf = async () => {
      const { currencies: sums } = await reportOf(siteId, 0, 100);
      return sums[0]?.parts.filter(({ count }) => count > 0).map(({ part, amount }) => [part, amount]);
    };
    const event = { type: 'purchase', session: 's', order: '1', currency: 'EUR' };
    await store.fold(await toldBy([eventFact(siteId, { ...event, id: 'b', minute: 50, amount: 12 })], SITES));
    expect(await partsOf()).toEqual([['events_without_order', '-12.00']]);
    const purchase = {
      id: 'p',
      type: 'purchase',
      order: '1',
      minute: 60,
      amount: 1_000n,
      currency: 'EUR',
    } as const;
    await store.fold(await toldBy([entryFact(siteId, purchase)], SITES));
    expect(await partsOf()).toEqual([['other_amount', '-2.00']]);
    await store.fold(await toldBy([eventFact(siteId, { ...event, id: 'a', minute: 10, amount: 10 })], SITES));
    expect(await partsOf()).toEqual([['repeated_events', '-12.00']]);
  });
});

async function balanced(siteId: string, from: number, to: number) {
  const report = await reportOf(siteId, from, to);
  for (const { currency, observed: side, authoritative, difference, parts } of report.currencies) {
    expect(parts.map(({ part }) => part)).toEqual(REVENUE_PARTS);
    const sum = parts.reduce((total, { amount }) => total + minor(amount, currency), 0n);
    expect(sum).toBe(minor(difference, currency));
    expect(sum).toBe(minor(authoritative.amount, currency) - minor(side.amount, currency));
  }
  return report;
}
