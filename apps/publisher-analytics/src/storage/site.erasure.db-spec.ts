import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openServiceDatabase, type ServiceDatabase, walkErasure } from '@truetally/testing-product';
import fc from 'fast-check';
import { MIGRATIONS } from './migrations/index.js';
import { SiteErasure } from './site.erasure.js';

/** How so many rows of a site come into each table that has its id. */
const FILL = {
  clicks: `(event_id, site_id, provider, occurred_at, is_bot, destination_host, destination_path)
    select gen_random_uuid(), $1, 'awin', now(), false, 'shop.example', repeat('x', 2000)
    from generate_series(1, $2::integer)`,
  click_references: `select gen_random_uuid(), $1, '\\x00', 'key', '\\x00' from generate_series(1, $2::integer)`,
  settlements: `(settlement_id, site_id, provider, provider_transaction_id, status, currency, commissionable, commission,
      transaction_at, updated_at, fingerprint, recorded_at)
    select gen_random_uuid(), $1, 'awin', n::text, 'pending', 'EUR', 1, 1, now(), now(), '', now()
    from generate_series(1, $2::integer) n`,
  site_calendars: `select $1, 'UTC' from generate_series(1, least($2::integer, 1))`,
  report_totals: `(site_id, level, start, currency)
    select $1, 'day', date '2026-01-01' + n, 'EUR' from generate_series(1, $2::integer) n`,
  report_items: `(site_id, level, start, currency, kind, item_id)
    select $1, 'day', date '2026-01-01', 'EUR', 'content', gen_random_uuid() from generate_series(1, $2::integer)`,
  report_names: `select gen_random_uuid(), $1, 'name' from generate_series(1, $2::integer)`,
  pull_states: `(integration_id, site_id) select gen_random_uuid(), $1 from generate_series(1, $2::integer)`,
} as const;
type Table = keyof typeof FILL;
const TABLES = Object.keys(FILL) as readonly Table[];
const MOST_ROWS = 25;

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openServiceDatabase({ name: 'publisher', migrations: MIGRATIONS });
});

afterAll(() => database.close());

async function fill(siteId: string, rows: Readonly<Record<Table, number>>): Promise<void> {
  for (const table of TABLES)
    await database.owner.query(`insert into ${table} ${FILL[table]}`, [siteId, rows[table]]);
}

async function rowsOf(siteId: string): Promise<Readonly<Record<string, number>>> {
  const counts = TABLES.map(
    (table) => `(select count(*)::integer from ${table} where site_id = $1) as ${table}`,
  );
  const { rows } = await database.owner.query<Record<string, number>>(`select ${counts.join(', ')}`, [
    siteId,
  ]);
  return rows[0] ?? {};
}

const each = (rows: number) =>
  Object.fromEntries(TABLES.map((table) => [table, rows])) as Record<Table, number>;

describe('erasing a site', () => {
  it('knows every table with a site_id', async () => {
    const { rows } = await database.owner.query<{ table_name: string }>(
      `select table_name from information_schema.columns
       where table_schema = $1 and column_name = 'site_id' and table_name <> 'erased_sites' order by 1`,
      [database.schema],
    );
    expect(rows.map(({ table_name }) => table_name)).toEqual([...TABLES].sort());
  });

  it('ends with nothing left, whatever number of rows there is and however many go at once', async () => {
    const count = fc.nat(MOST_ROWS);
    const size = fc.integer({ min: 1, max: MOST_ROWS });
    const rowsOfEach = fc.record(Object.fromEntries(TABLES.map((table) => [table, count])));
    const sizes = fc.record({ settlements: size, sums: size, blocks: size });
    const pool = database.openPool(1);
    await fc.assert(
      fc.asyncProperty(rowsOfEach, sizes, async (drawn, some) => {
        const [siteId, other] = [randomUUID(), randomUUID()];
        const filled = { ...each(0), ...drawn };
        await fill(siteId, filled);
        await fill(other, each(1));
        const counted = filled.settlements + filled.clicks;
        // Blocks are those of all sites so far.
        const walked = await walkErasure(new SiteErasure(pool, some), siteId, 5_000);
        expect(walked).toMatchObject({ found: counted, done: counted });
        expect(await rowsOf(siteId)).toMatchObject({ ...each(0) });
        expect(await rowsOf(other)).toEqual(each(1));
      }),
      {
        numRuns: 20,
        examples: [
          [each(10), { settlements: 10, sums: 10, blocks: 1 }],
          [each(20), { settlements: 5, sums: 10, blocks: 1 }],
        ],
      },
    );
  });
});
