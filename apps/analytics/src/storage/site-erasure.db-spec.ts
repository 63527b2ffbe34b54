import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceDatabase, SiteRows, tablesOfSites, walkErasure } from '@truetally/testing-product';
import fc from 'fast-check';
import { toldBy } from '../fold-facts/fold-facts.js';
import { openAnalyticsDatabase } from '../testing/analytics-database.js';
import { entryFact, eventFact } from '../testing/told-facts.js';
import { verifySums } from '../verify-sums/verify-sums.js';
import { FoldStore } from './fold.store.js';
import { analyticsErasure } from './site-erasure.js';

const IDS = 'from generate_series(1, $2::integer) n';
/** Inserts this many rows of a site into each table with a site id. */
const ROWS = new SiteRows({
  event_blocks: `(site_id, is_bot, events, received_from, received_to, occurred_from, occurred_to, event_types, filter, event_ids,
      session_keys, request_keys, type_places, devices, occurred_at, received_at, positions)
    select $1, false, 1, now(), now(), now(), now(), '{page_view}', '', array[gen_random_uuid()],
      array[gen_random_uuid()], array[gen_random_uuid()], '{1}', '{null}', array[now()], array[now()], array[n] ${IDS}`,
  event_sums: `select $1, n, 'page_view', 1 ${IDS}`,
  session_quarters: `select $1, gen_random_uuid(), n ${IDS}`,
  session_spans: `select $1, n, 0, 1 ${IDS}`,
  touches: `(touch_key, site_id, provider, occurred_at) select gen_random_uuid(), $1, 'awin', now() ${IDS}`,
  purchases: `select gen_random_uuid(), now(), $1, now(), 'EUR', n::text, 1, false ${IDS}`,
  ledger_entries: `select gen_random_uuid(), $1, now(), 'EUR', n::text, 'purchase', 1 ${IDS}`,
  parked_baskets: `(workspace_id, site_id, day, before, added, sessions, gains) select $1, $1, n, '{}', '{va}', 1, 1 ${IDS}`,
  product_popularity: `select $1, n::text, 1, n, n ${IDS}`,
  product_neighbours: `select $1, 'view', n::text, '{1}', '{1}' ${IDS}`,
});
const MOST_ROWS = 20;
const SITES = { localeOf: () => ({ timeZone: 'UTC', currency: 'EUR' }) };

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openAnalyticsDatabase();
});

afterAll(() => database.close());

describe('erasing a site from analytics', () => {
  it('the erasure knows every table with a site_id', async () => {
    expect(await tablesOfSites(database.owner, database.schema)).toEqual([...ROWS.tables].sort());
  });

  it('the erasure leaves nothing, whatever number of rows there is and however many go at once', async () => {
    const count = fc.nat(MOST_ROWS);
    const rowsOfEach = fc.record(Object.fromEntries(ROWS.tables.map((table) => [table, count])));
    const pool = database.openPool(1);
    await fc.assert(
      fc.asyncProperty(rowsOfEach, fc.integer({ min: 1, max: MOST_ROWS }), async (drawn, most) => {
        const [siteId, other] = [randomUUID(), randomUUID()];
        const filled = { ...ROWS.each(0), ...drawn };
        await ROWS.fill(database.owner, siteId, filled);
        await ROWS.fill(database.owner, other, ROWS.each(1));
        const walked = await walkErasure(analyticsErasure(pool, { rows: most }), siteId, 5_000);
        expect(walked).toMatchObject({ found: filled.event_blocks, done: filled.event_blocks });
        expect(await ROWS.count(database.owner, siteId)).toMatchObject({ ...ROWS.each(0) });
        expect(await ROWS.count(database.owner, other)).toEqual(ROWS.each(1));
      }),
      { numRuns: 15 },
    );
  });

  it('sums of a site that is being erased are not called wrong, whatever is left of it', async () => {
    const siteId = randomUUID();
    const pool = database.openPool(1);
    const events = ['1', '2'].map((id) =>
      eventFact(siteId, { id, type: 'purchase', session: id, minute: 1, order: id, amount: 1 }),
    );
    await new FoldStore(pool).fold(await toldBy(events, SITES));
    const wrong: unknown[] = [];
    await walkErasure(analyticsErasure(pool, { rows: 1 }), siteId, 100, async () => {
      const found = await verifySums(database.owner, { since: new Date(0), basketsSince: 0, most: 10_000 });
      wrong.push(...found.filter((one) => one.siteId === siteId));
    });
    expect(wrong).toEqual([]);
  });

  it('late facts of an erased site add nothing', async () => {
    const siteId = randomUUID();
    const pool = database.openPool(1);
    await walkErasure(analyticsErasure(pool), siteId, 5_000);
    const event = { id: '1', type: 'purchase', session: 's', minute: 1, order: '1', amount: 1 };
    const entry = { id: '2', type: 'purchase', order: '1', minute: 1, amount: 1n, currency: 'EUR' } as const;
    await new FoldStore(pool).fold(await toldBy([eventFact(siteId, event), entryFact(siteId, entry)], SITES));
    expect(await ROWS.count(database.owner, siteId)).toMatchObject({ ...ROWS.each(0) });
  });
});
