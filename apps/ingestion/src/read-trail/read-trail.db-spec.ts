import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FoundTrail, type ReadTrail, type RefusedItem, TRAIL_DAYS } from '@truetally/contracts/events';
import fc from 'fast-check';
import type { TrailRow } from '../domain/settle-requests.js';
import { EXPIRED_TRAIL_ITEMS } from '../storage/partition-upkeep.js';
import { trailStatement } from '../storage/request-accounts.js';
import { TrailReads } from '../storage/trail-reads.js';
import { type IngestionDatabase, openIngestionDatabase } from '../testing/ingestion-database.js';
import { anEvent, aRequest } from '../testing/requests.js';
import { readTrail } from './read-trail.js';

let database: IngestionDatabase;
let handle: ReturnType<typeof readTrail>;

beforeAll(async () => {
  database = await openIngestionDatabase();
  handle = readTrail(new TrailReads(database.replica().pool));
});

afterAll(() => database.close());

async function trailOf(site_id: string, asked: Partial<ReadTrail>): Promise<FoundTrail> {
  const nothing = { event_ids: [], client_event_id: null, request_id: null, limit: 50, cursor: null };
  const reply = await handle({ ...nothing, site_id, ...asked });
  if ('error' in reply) throw new Error(reply.error.message);
  return reply.ok;
}

const refusedItem = (given: Partial<RefusedItem> = {}): RefusedItem => ({
  requestId: 'request-1',
  index: 3,
  eventType: 'page_view',
  clientEventId: 'c-1',
  trust: 'server',
  code: 'VALIDATION_ERROR',
  field: 'session_id',
  rule: 'is required',
  status: null,
  ...given,
});

describe('the trail (interface page, section 9), on a real Postgres', () => {
  it('a stored event is listed with its duplicates, and each duplicate with its first storage', async () => {
    const siteId = randomUUID();
    const { store } = database.replica();
    const event = anEvent({ client_event_id: 'c-1', index: 4 });
    const [first] = await store.store([aRequest([event], { siteId, requestId: 'first' })]);
    const again = aRequest([{ ...event, index: null }], { siteId, requestId: 'again' });
    await store.store([again]);
    await store.store([again]);
    const { items, next_cursor: next } = await trailOf(siteId, { event_ids: [event.event_id] });
    const received_at = first?.verdicts[0]?.receivedAt;
    const same = {
      event_id: event.event_id,
      event_type: 'product_view',
      client_event_id: 'c-1',
      reason: null,
    };
    expect(items).toEqual([
      {
        ...same,
        outcome: 'duplicate',
        request_id: 'again',
        index: null,
        received_at: expect.any(String),
        trust: 'server',
        is_bot: false,
        duplicate_of: { event_id: event.event_id, timestamp: received_at, request_id: 'first' },
      },
      {
        ...same,
        outcome: 'stored',
        request_id: 'first',
        index: 4,
        received_at,
        trust: 'server',
        is_bot: false,
        duplicate_of: null,
      },
    ]);
    expect(next).toBeNull();
    expect((await trailOf(siteId, { request_id: 'first' })).items).toEqual(items.slice(1));
    expect((await trailOf(randomUUID(), { event_ids: [event.event_id] })).items).toEqual([]);
  });

  it('a refused item is found by its request and its client_event_id, with its reason and any text in it', async () => {
    const siteId = randomUUID();
    const { store } = database.replica();
    const odd = `it's \\ "odd" \ud800 \u0001 ü`;
    const items = [
      refusedItem({ requestId: odd }),
      refusedItem({ clientEventId: odd, index: null, eventType: null }),
    ];
    await store.store([aRequest([], { siteId, refusals: { failed: [], requests: [], items } })]);
    const byRequest = await trailOf(siteId, { request_id: odd.toWellFormed() });
    expect(byRequest.items).toMatchObject([
      {
        outcome: 'refused',
        index: 3,
        event_id: null,
        client_event_id: 'c-1',
        is_bot: null,
        reason: { code: 'VALIDATION_ERROR', field: 'session_id', rule: 'is required', status: null },
      },
    ]);
    const byClient = await trailOf(siteId, {
      client_event_id: odd.toWellFormed(),
      event_ids: [randomUUID()],
    });
    expect(byClient.items).toMatchObject([{ outcome: 'refused', request_id: 'request-1', event_type: null }]);
  });

  it('pages go down by time, and within a request up by place; none is left out or shown twice', async () => {
    const siteId = randomUUID();
    const { store } = database.replica();
    const events = Array.from({ length: 7 }, (_, index) => anEvent({ index: index * 2 }));
    const items = [
      refusedItem({ requestId: 'batch', index: 1 }),
      refusedItem({ requestId: 'batch', index: 3 }),
    ];
    const refusals = { failed: [], requests: [], items };
    await store.store([aRequest(events, { siteId, requestId: 'batch', refusals })]);
    const places: (number | null)[] = [];
    let cursor: string | null = null;
    do {
      const page: FoundTrail = await trailOf(siteId, { request_id: 'batch', limit: 2, cursor });
      places.push(...page.items.map(({ index }) => index));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(places).toEqual([0, 1, 2, 3, 4, 6, 8, 10, 12]);
    const forged = handle({
      site_id: siteId,
      event_ids: [],
      client_event_id: null,
      request_id: 'batch',
      limit: 2,
      cursor: 'AAAA',
    });
    expect(await forged).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
  });

  it('an empty answer says how far back it looked', async () => {
    const { items, searched } = await trailOf(randomUUID(), { request_id: 'nobody' });
    expect(items).toEqual([]);
    expect(Date.parse(searched.stored_since ?? '')).toBeLessThanOrEqual(Date.now());
    expect((Date.now() - Date.parse(searched.refused_since)) / 86_400_000).toBeCloseTo(TRAIL_DAYS, 1);
  });

  it('a ring holds the newest of a site, whatever is sent in whatever pieces', async () => {
    const ring = 5;
    const reads = new TrailReads(database.replica().pool, ring);
    const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(pieces, async (sizes) => {
        const [siteId, other] = [randomUUID(), randomUUID()];
        let sent = 0;
        const row = (site: string): TrailRow => {
          sent += 1;
          const item = refusedItem({ requestId: 'flood', clientEventId: String(sent), index: sent % 100 });
          return { ...item, siteId: site, outcome: 'refused', eventId: null, isBot: null };
        };
        const kept: string[] = [];
        for (const [piece, size] of sizes.entries()) {
          const rows = Array.from({ length: size }, () => row(siteId));
          kept.push(...rows.map(({ clientEventId }) => clientEventId ?? ''));
          const at = new Date(Date.parse('2026-01-01T00:00:00Z') + piece * 1_000).toISOString();
          await database
            .replica()
            .pool.query(trailStatement(7, [...rows, row(other)], ring, `'${at}'::timestamptz`));
        }
        const { rows } = await database.owner.query<{ name: string; at: Date }>(
          'select client_event_id as name, at from trail_items where site_id = $1',
          [siteId],
        );
        expect(rows.map(({ name }) => name).toSorted()).toEqual(kept.slice(-ring).toSorted());
        const oldest = Math.min(...rows.map(({ at }) => at.getTime()));
        const { refused_since: since } = await reads.searched(siteId);
        // These are older than what is kept by days, so that only a full ring says less than that.
        if (rows.length === ring) expect(Date.parse(since)).toBeGreaterThanOrEqual(oldest);
      }),
      { numRuns: 40 },
    );
  });

  it('what is older than its days is found ring by ring, whatever was written over, and the table is never read whole', async () => {
    const ring = 5;
    const { pool } = database.replica();
    const pieces = fc.array(fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 0, max: 3 })), {
      minLength: 1,
      maxLength: 5,
    });
    const found = (sql: string) => database.owner.query(sql, [TRAIL_DAYS]);
    await fc.assert(
      fc.asyncProperty(pieces, async (sizes) => {
        const siteId = randomUUID();
        let daysAgo = TRAIL_DAYS + 2;
        for (const [size, days] of sizes) {
          const rows = Array.from({ length: size }, (): TrailRow => ({
            ...refusedItem(),
            siteId,
            outcome: 'refused',
            eventId: null,
            isBot: null,
          }));
          await pool.query(trailStatement(7, rows, ring, `now() - interval '${daysAgo} days'`));
          daysAgo = Math.max(0, daysAgo - days);
        }
        const [byRing, byTime] = await Promise.all([
          found(EXPIRED_TRAIL_ITEMS),
          found('select ctid from trail_items where at < now() - make_interval(days => $1)'),
        ]);
        expect(byRing.rows.length).toBe(byTime.rows.length);
        await database.owner.query('delete from trail_items where ctid = any ($1::tid[])', [
          byRing.rows.map(({ ctid }: { ctid?: string }) => ctid),
        ]);
      }),
      { numRuns: 30 },
    );
    await database.owner.query(
      `insert into trail_items (site_id, writer, slot, at, outcome, request_id, code)
       select md5((n / 1000)::text)::uuid, 7, n % 1000, now(), 'refused', 'r', 'C' from generate_series(1, 30000) as n`,
    );
    await database.owner.query('analyze trail_items');
    const { rows } = await found(`explain ${EXPIRED_TRAIL_ITEMS}`);
    const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toContain('Seq Scan on trail_items');
  });
});
