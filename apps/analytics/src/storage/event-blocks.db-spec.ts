import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServiceDatabase } from '@truetally/testing-product';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { sessionKeyOf } from '../domain/keys.js';
import { toldBy } from '../fold-facts/fold-facts.js';
import { erasureOf, openAnalyticsDatabase } from '../testing/analytics-database.js';
import { atMinute, eventFact, idOf, type ToldEvent } from '../testing/told-facts.js';
import { verifySums } from '../verify-sums/verify-sums.js';
import { EventReads, pagesOf } from './event-reads.js';
import { sweepOnce } from './event-sweeper.js';
import { FoldStore } from './fold.store.js';
import { sessionErasure } from './person-erasure.js';

const SITES = { localeOf: () => ({ timeZone: 'UTC', currency: 'EUR' }) };
const LONG_DAYS = 36_500;
const TYPES = ['page_view', 'product_view', 'search'];
const ANY = {
  ...{ eventType: null, sessionKey: null, requestKey: null, eventIds: null, after: null },
  ...{ receivedFrom: null, receivedTo: null },
};

let database: ServiceDatabase;
let pool: Pool;
let store: FoldStore;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
  pool = database.openPool(2);
  store = new FoldStore(pool);
});

afterAll(() => database.close());

async function fold(siteId: string, told: readonly ToldEvent[]): Promise<void> {
  return store.fold(
    await toldBy(
      told.map((one) => eventFact(siteId, one)),
      SITES,
    ),
  );
}

const sweep = (): Promise<void> => sweepOnce(pool, LONG_DAYS, { aborted: false });

async function figuresOf(siteId: string) {
  const { rows } = await database.owner.query<Record<string, number>>(
    `select (select count(*)::integer from events where site_id = $1) as events,
       (select coalesce(sum(events), 0)::integer from event_sums where site_id = $1) as counted,
       (select coalesce(sum(sessions), 0)::integer from session_spans where site_id = $1 and previous < 0) as sessions,
       (select count(*)::integer from event_blocks where site_id = $1) as blocks`,
    [siteId],
  );
  return rows[0];
}

async function wrongOf(siteId: string) {
  const all = await verifySums(database.owner, { since: new Date(0), basketsSince: 0, most: 1_000 });
  return all.filter((sum) => sum.siteId === siteId);
}

describe('blocks of events', () => {
  it('lists of a large block that compression hardly shortens are kept as they are', async () => {
    const siteId = randomUUID();
    const told = Array.from({ length: 400 }, (_, index) => ({
      id: String(index),
      type: TYPES[index % TYPES.length] ?? '',
      session: `s${index}`,
      minute: index,
    }));
    await fold(siteId, told);
    const { rows } = await database.owner.query<Record<string, string | null>>(
      `select pg_column_compression(request_keys) as requests, pg_column_compression(occurred_at) as times,
         pg_column_compression(positions) as positions
       from event_blocks where site_id = $1`,
      [siteId],
    );
    expect(rows).toEqual([{ requests: null, times: null, positions: null }]);
  });

  it('lists of a block are counted for statistics in one column, and looked at in no other', async () => {
    const told = ['0', '1'].map((id) => ({ id, type: 'search', session: 's', minute: 1 }));
    await fold(randomUUID(), told);
    await database.owner.query('analyze event_blocks');
    const { rows } = await database.owner.query<{ attname: string }>(
      `select attname from pg_stats where schemaname = current_schema() and tablename = 'event_blocks'
         and elem_count_histogram is not null order by attname`,
    );
    expect(rows.map(({ attname }) => attname)).toEqual(['event_types', 'positions']);
  });

  it('a site whose events come one by one has few blocks after a sweep, and every list is as before', async () => {
    const siteId = randomUUID();
    const told = Array.from({ length: 70 }, (_, index) => ({
      id: String(index),
      type: TYPES[index % TYPES.length] ?? '',
      session: `s${index % 7}`,
      minute: index,
      isBot: index % 70 === 5,
      ...(index % 2 === 0 && { device: 'mobile' }),
    }));
    for (const one of told) await fold(siteId, [one]);
    const eventsOf = () =>
      database.owner.query(
        `select event_id, session_key, request_key, occurred_at, received_at, position, is_bot, event_type, device
         from events where site_id = $1 order by event_id`,
        [siteId],
      );
    const listed = (filter: object) => pagesOf(pool).page({ ...ANY, siteId, limit: 9, ...filter });
    const lists = () =>
      Promise.all([
        eventsOf().then(({ rows }) => rows as unknown),
        listed({}),
        listed({ eventType: 'search' }),
        listed({ sessionKey: sessionKeyOf(siteId, 's3'), limit: 50 }),
        listed({ eventIds: [idOf(siteId, '2'), idOf(siteId, '69')] }),
        listed({ after: { at: atMinute(40), id: idOf(siteId, '40') } }),
      ]);
    const [before, figures] = [await lists(), await figuresOf(siteId)];
    expect(figures).toEqual({ events: 70, counted: 69, sessions: 7, blocks: 70 });
    await sweep();
    expect(await figuresOf(siteId)).toEqual({ ...figures, blocks: 2 + (69 % 32) + 1 });
    expect(await lists()).toEqual(before);
    expect(await wrongOf(siteId)).toEqual([]);
  });

  it('any pages are those of a plain list, in whatever order events come', async () => {
    const drawn = fc.array(
      fc.record({
        type: fc.constantFrom(...TYPES),
        session: fc.constantFrom('a', 'b', 'c'),
        minute: fc.nat(12),
      }),
      { minLength: 1, maxLength: 30 },
    );
    const asked = fc.record({
      type: fc.option(fc.constantFrom(...TYPES)),
      session: fc.option(fc.constantFrom('a', 'b', 'c', 'd')),
      limit: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        drawn,
        asked,
        fc.integer({ min: 1, max: 4 }),
        async (events, { type, session, limit }, size) => {
          const siteId = randomUUID();
          const told = events.map((one, index) => ({ ...one, id: String(index) }));
          for (let from = 0; from < told.length; from += size)
            await fold(siteId, told.slice(from, from + size));
          const expected = told
            .filter(
              (one) => (type === null || one.type === type) && (session === null || one.session === session),
            )
            .map(({ id, minute }) => ({ eventId: idOf(siteId, id), receivedAt: atMinute(minute) }))
            .sort((one, other) =>
              `${one.receivedAt} ${one.eventId}` < `${other.receivedAt} ${other.eventId}` ? 1 : -1,
            );
          const filter = {
            ...ANY,
            siteId,
            limit,
            eventType: type,
            sessionKey: session && sessionKeyOf(siteId, session),
          };
          const found = [];
          let page = await pagesOf(pool).page(filter);
          while (page.length > 0) {
            found.push(...page);
            const { at = '', eventId: id = '' } = page.at(-1) ?? {};
            page = await pagesOf(pool).page({ ...filter, after: { at, id } });
          }
          expect(found.map(({ eventId, receivedAt }) => ({ eventId, receivedAt }))).toEqual(expected);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('a session with more events in a quarter than are kept with it counts each once, whoever tells them again', async () => {
    const siteId = randomUUID();
    const told = Array.from({ length: 300 }, (_, index) => ({
      id: String(index),
      type: 'page_view',
      session: 'shared',
      minute: index % 15,
      isBot: index % 10 === 0,
    }));
    for (const [from, to] of [
      [0, 100],
      [50, 200],
      [0, 300],
      [120, 260],
    ] as const)
      await fold(siteId, told.slice(from, to));
    expect(await figuresOf(siteId)).toMatchObject({ events: 300, counted: 270, sessions: 1 });
    expect(await wrongOf(siteId)).toEqual([]);
  });

  it('facts of an erased person that are told once more count nothing, and their session is not seen again', async () => {
    const siteId = randomUUID();
    const told = Array.from({ length: 200 }, (_, index) => ({
      id: String(index),
      type: 'page_view',
      session: index % 2 === 0 ? 'erased' : 'other',
      minute: index % 15,
    }));
    await fold(siteId, told);
    const before = await figuresOf(siteId);
    const report = await sessionErasure(pool).step(erasureOf(siteId, ['erased', 'unknown']));
    // Its events, and its quarter.
    expect(report).toMatchObject({ found: 101, done: 101 });
    const reads = pagesOf(pool);
    const ofSession = { ...ANY, siteId, limit: 5, sessionKey: sessionKeyOf(siteId, 'erased') };
    expect(await reads.page(ofSession)).toEqual([]);
    await fold(siteId, told);
    expect(await figuresOf(siteId)).toEqual(before);
    expect(await reads.page(ofSession)).toEqual([]);
    expect(await wrongOf(siteId)).toEqual([]);
    await fold(siteId, [{ id: 'new', type: 'page_view', session: 'erased', minute: 3 }]);
    expect(await figuresOf(siteId)).toMatchObject({ events: 201, counted: 201, sessions: 3 });
  });

  it('an event of a known time of storage is found among 100,000 of its site by the filter of one block', async () => {
    const siteId = randomUUID();
    for (let part = 0; part < 100; part += 1) {
      const told = Array.from({ length: 1_000 }, (_, index) => ({
        id: `${part} ${index}`,
        type: 'page_view',
      }));
      await fold(
        siteId,
        told.map((one) => ({ ...one, session: 's', minute: part })),
      );
    }
    const eventIds = [idOf(siteId, '7 500')];
    const times = { receivedFrom: atMinute(7), receivedTo: atMinute(7) };
    const asked: [string, unknown[]][] = [];
    const client = await pool.connect();
    const watched = new Proxy(client, {
      get: (target, name) => (text: string, values: unknown[]) => {
        asked.push([text, values]);
        return (Reflect.get(target, name) as Query).call(target, text, values);
      },
    });
    /** Pages of Postgres that a look-up reads: a filter of a thousand events is in three of them. */
    const pagesFor = async (filter: object): Promise<number> => {
      asked.length = 0;
      const found = await new EventReads(watched).page({ ...ANY, siteId, eventIds, limit: 2, ...filter });
      expect(found.map(({ eventId }) => eventId)).toEqual(eventIds);
      let pages = 0;
      for (const [text, values] of [...asked]) {
        const explained = `explain (analyze, buffers, format json) ${text}`;
        const { rows } = await client.query<{ 'QUERY PLAN': readonly ExplainedPlan[] }>(explained, values);
        for (const { Plan: plan } of rows.flatMap((row) => row['QUERY PLAN']))
          pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      }
      return pages;
    };
    try {
      const [ofTime, ofAllTimes] = [await pagesFor(times), await pagesFor({})];
      expect(ofAllTimes).toBeGreaterThan(300);
      expect(ofTime).toBeLessThan(60);
    } finally {
      client.release();
    }
  });
});

type Query = (text: string, values: unknown[]) => unknown;

interface ExplainedPlan {
  readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
}
