import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@truetally/persistence';
import {
  openServiceDatabase,
  type ServiceDatabase,
  SiteRows,
  tablesOfSites,
  walkErasure,
} from '@truetally/testing-product';
import fc from 'fast-check';
import { MIGRATIONS } from './migrations/migrations.js';
import { ClickStore } from './click.store.js';
import { PullStore } from './pull.store.js';
import { SettlementStore } from './settlement.store.js';
import { publisherErasure } from './site-erasure.js';
import { SiteScopes } from './site-scope.js';

/** Inserts this many rows of a site into each table with a site id. */
const ROWS = new SiteRows({
  clicks: `(event_id, site_id, provider, occurred_at, received_at, is_bot, destination_host, destination_path)
    select gen_random_uuid(), $1, 'awin', now(), now(), false, 'shop.example', repeat('x', 2000)
    from generate_series(1, $2::integer)`,
  click_references: `select gen_random_uuid(), $1, '\\x00', 'key', '\\x00' from generate_series(1, $2::integer)`,
  parked_clicks: `(site_id, event_id, key_id)
    select $1, gen_random_uuid(), 'key' from generate_series(1, $2::integer)`,
  reference_renamings: `select uuid_send(gen_random_uuid()), 'awin', '\\x00', $1 from generate_series(1, $2::integer)`,
  settlements: `(settlement_id, site_id, provider, provider_transaction_id, status, currency, commissionable, commission,
      transaction_at, updated_at, recorded_at)
    select gen_random_uuid(), $1, 'awin', n::text, 'pending', 'EUR', 1, 1, now(), now(), now()
    from generate_series(1, $2::integer) n`,
  site_calendars: `select $1, 'UTC' from generate_series(1, least($2::integer, 1))`,
  report_totals: `(site_id, level, start, currency)
    select $1, 'day', date '2026-01-01' + n, 'EUR' from generate_series(1, $2::integer) n`,
  report_items: `(site_id, level, start, currency, kind, item_id)
    select $1, 'day', date '2026-01-01', 'EUR', 'content', gen_random_uuid() from generate_series(1, $2::integer)`,
  report_names: `select gen_random_uuid(), $1, 'name' from generate_series(1, $2::integer)`,
  pull_states: `(integration_id, site_id) select gen_random_uuid(), $1 from generate_series(1, $2::integer)`,
  outbox_set_aside: `(id, topic, key, value, headers, reason, is_state, site_id)
    select nextval('outbox_id_seq'), 't', 'key', '{}', '{}', 'refused', false, $1 from generate_series(1, $2::integer)`,
});
/** Whoever stores anything of a site writes its calendar. */
const STARTED = { ...ROWS.each(0), site_calendars: 1 };
const MOST_ROWS = 25;
const SMALL = { settlements: 10, sums: 10, blocks: 2 };

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openServiceDatabase({ name: 'publisher', migrations: MIGRATIONS });
});

afterAll(() => database.close());

describe('erasing a site', () => {
  it('knows every table with a site_id', async () => {
    const tables = await tablesOfSites(database.owner, database.schema);
    expect(tables).toEqual([...ROWS.tables].sort());
  });

  it('the erasure of a site without data looks through nobody’s clicks', async () => {
    await ROWS.fill(database.owner, randomUUID(), ROWS.each(MOST_ROWS));
    const pool = database.openPool(1);
    expect((await walkErasure(publisherErasure(pool, SMALL), randomUUID(), 5_000)).steps).toBeLessThan(4);
  });

  it('ends with nothing left, whatever number of rows there is and however many go at once', async () => {
    const count = fc.nat(MOST_ROWS);
    const size = fc.integer({ min: 1, max: MOST_ROWS });
    const rowsOfEach = fc.record(Object.fromEntries(ROWS.tables.map((table) => [table, count])));
    const sizes = fc.record({ settlements: size, sums: size, blocks: size });
    const pool = database.openPool(1);
    await fc.assert(
      fc.asyncProperty(rowsOfEach, sizes, async (drawn, some) => {
        const [siteId, other] = [randomUUID(), randomUUID()];
        const filled = { ...STARTED, ...drawn, site_calendars: 1 };
        await ROWS.fill(database.owner, siteId, filled);
        await ROWS.fill(database.owner, other, ROWS.each(1));
        const counted = filled.settlements + filled.clicks;
        // Blocks also contain rows of all earlier sites.
        const walked = await walkErasure(publisherErasure(pool, some), siteId, 5_000);
        expect(walked).toMatchObject({ found: counted, done: counted });
        expect(await ROWS.count(database.owner, siteId)).toMatchObject({ ...ROWS.each(0) });
        expect(await ROWS.count(database.owner, other)).toEqual(ROWS.each(1));
      }),
      {
        numRuns: 20,
        examples: [
          [ROWS.each(10), { settlements: 10, sums: 10, blocks: 1 }],
          [ROWS.each(20), { settlements: 5, sums: 10, blocks: 1 }],
        ],
      },
    );
  });

  it('leaves no row that a rewrite of its table moves meanwhile', async () => {
    const [before, gone] = [randomUUID(), randomUUID()];
    const { owner } = database;
    for (const siteId of [before, gone]) {
      await ROWS.fill(owner, siteId, { ...STARTED, clicks: 200, click_references: 2_000 });
    }
    const pool = database.openPool(1);
    let isRewritten = false;
    await walkErasure(publisherErasure(pool, SMALL), gone, 1_000, async (cursor) => {
      if (cursor?.startsWith('blocks/') !== true || cursor === 'blocks//0') return;
      if (!isRewritten) {
        // Its rows were in the last blocks; now they are in the first ones.
        await owner.query(`insert into erased_sites (site_id) values ('${before}')`);
        for (const table of ['clicks', 'click_references']) {
          await owner.query(`delete from ${table} where site_id = $1`, [before]);
          await owner.query(`vacuum full ${table}`);
        }
      }
      isRewritten = true;
    });
    expect(isRewritten).toBe(true);
    expect(await ROWS.count(owner, gone)).toEqual(ROWS.each(0));
  });

  it('leaves no row that a rotation of keys reseals between two pieces, or began to reseal before', async () => {
    const [gone, other] = [randomUUID(), randomUUID()];
    const { owner } = database;
    await ROWS.fill(owner, other, { ...STARTED, click_references: 10 });
    await ROWS.fill(owner, gone, { ...STARTED, click_references: 2_000 });
    const reseal = `update click_references set key_id = key_id || '2', sealed = sealed || '\\x00'`;
    const [pool, rotation] = [database.openPool(1), await owner.connect()];
    try {
      await rotation.query(`begin; ${reseal} where site_id = '${gone}'`);
      await walkErasure(publisherErasure(pool, SMALL), gone, 1_000, async (cursor) => {
        if (cursor === 'writers') await rotation.query('commit');
        if (cursor?.startsWith('blocks/') !== true) return;
        await owner.query('vacuum click_references');
        await owner.query(reseal);
      });
    } finally {
      rotation.release(true);
    }
    expect(await ROWS.count(owner, gone)).toEqual(ROWS.each(0));
    const { rows } = await owner.query<{ key_id: string }>(
      'select distinct key_id from click_references where site_id = $1',
      [other],
    );
    expect(rows[0]?.key_id).toMatch(/^key2+$/);
  });
});

describe('an erased site', () => {
  it('gets no rows from late clicks, settlements and pulls', async () => {
    const siteId = randomUUID();
    const pool = database.openPool(1);
    const scopes = new SiteScopes(() => 'Europe/Berlin');
    await walkErasure(publisherErasure(pool, SMALL), siteId, 5_000);
    const eventId = randomUUID();
    const reference = { eventId, siteId, hash: 'a'.repeat(64), keyId: 'key', sealed: Buffer.alloc(1) };
    await new ClickStore(pool, scopes).record({ clicks: [], references: [reference] });
    await inTransaction(pool, async (client) => {
      await (await new SettlementStore(scopes).begin(client, siteId)).finish();
    });
    expect(await new PullStore(pool).syncedThrough(randomUUID(), siteId, 1)).toBeNull();
    expect(await ROWS.count(database.owner, siteId)).toEqual(ROWS.each(0));
  });

  it('gets no row in any table whose transactions do not read its mark', async () => {
    const siteId = randomUUID();
    const { owner } = database;
    await owner.query('insert into erased_sites (site_id) values ($1)', [siteId]);
    await ROWS.fill(owner, siteId, ROWS.each(1));
    const written = Object.entries(await ROWS.count(owner, siteId)).filter(([, rows]) => rows > 0);
    // Written by `SiteScopes.open`, which reads the mark for each transaction.
    const guarded = [
      'clicks',
      'click_references',
      'parked_clicks',
      'settlements',
      'report_totals',
      'report_items',
      'report_names',
    ];
    expect(written.map(([table]) => table).sort()).toEqual(guarded.sort());
  });
});
