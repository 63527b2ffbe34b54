import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ServiceDatabase, walkErasure } from '@truetally/testing-product';
import fc from 'fast-check';
import { openExperimentDatabase } from '../testing/experiment-database.js';
import { ExperimentErasure } from './experiment.erasure.js';

/** How so many rows of a site come into each table that has its id. */
const FILL = {
  sites: `select $1, gen_random_uuid(), 'EUR' from generate_series(1, least($2::integer, 1))`,
  assignments: `select gen_random_uuid(), gen_random_uuid(), $1, 's', 'control', 'awin', 'desktop', now(), 0, n
    from generate_series(1, $2::integer) n`,
  session_records: `select gen_random_uuid(), gen_random_uuid(), $1, gen_random_uuid(), 1, 'purchase', 'EUR', now(),
    now(), 1, null, 0, true, 'ruled' from generate_series(1, $2::integer) n`,
  session_results: `select gen_random_uuid(), gen_random_uuid(), $1, 'control', 'awin', 'desktop', now()
    from generate_series(1, $2::integer) n`,
  touches: `select gen_random_uuid(), null, $1, 'awin', null, now() from generate_series(1, $2::integer) n`,
  campaigns: `select gen_random_uuid(), $1, 'overlay' from generate_series(1, $2::integer) n`,
  experiments: `select gen_random_uuid(), gen_random_uuid(), $1, 'Test', null, 'overlay', array[gen_random_uuid()],
    '{}', '{}', 1, 0.5, 0.5, 'conversion', 0.05, 0.8, 0.1, 0.1, 7, 'running', repeat('0', 32), 'EUR', 1, now(), now(),
    now(), null from generate_series(1, $2::integer) n`,
} as const;
type Table = keyof typeof FILL;
const TABLES = Object.keys(FILL) as readonly Table[];
const MOST_ROWS = 25;

let database: ServiceDatabase;

beforeAll(async () => {
  database = await openExperimentDatabase();
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
    const erasure = (rows: number, experiments: number) =>
      new ExperimentErasure(database.openPool(1), { rows, experiments });
    const count = fc.nat(MOST_ROWS);
    const sizes = fc.integer({ min: 1, max: MOST_ROWS });
    const rowsOfEach = fc.record(Object.fromEntries(TABLES.map((table) => [table, count])));
    await fc.assert(
      fc.asyncProperty(rowsOfEach, sizes, sizes, async (drawn, rows, experiments) => {
        const [siteId, other] = [randomUUID(), randomUUID()];
        const filled = { ...each(0), ...drawn };
        await fill(siteId, filled);
        await fill(other, each(1));
        const counted = filled.assignments + filled.experiments;
        const walked = await walkErasure(erasure(rows, experiments), siteId, TABLES.length * (MOST_ROWS + 2));
        expect(walked).toMatchObject({ found: counted, done: counted });
        expect(await rowsOf(siteId)).toEqual(each(0));
        expect(await rowsOf(other)).toEqual(each(1));
      }),
      {
        numRuns: 20,
        examples: [
          [each(10), 10, 10],
          [each(20), 10, 5],
        ],
      },
    );
  });
});
