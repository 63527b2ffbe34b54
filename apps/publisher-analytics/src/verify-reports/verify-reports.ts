import type { ClientBase, Pool } from 'pg';
import { Calendar } from '@truetally/kernel';
import { ITEM_MEASURES, TOTAL_MEASURES } from '../domain/report-changes.js';
import { recompute, type RecomputeSizes } from '../storage/recompute.js';
import { addToReports } from '../storage/report-writes.js';

/** A stored sum that differs from its rows. */
export interface Difference {
  readonly siteId: string;
  /** Table, key and measure. */
  readonly sum: string;
  readonly kept: bigint;
  readonly computed: bigint;
}

export interface Verification {
  readonly sites: number;
  /** Rows of sums that were computed. */
  readonly sums: number;
  /** Those of at most `MAX_DIFFERENT_ROWS` rows per site and table. */
  readonly differences: readonly Difference[];
}

/** A longer list would not help an operator. */
const MAX_DIFFERENT_ROWS = 1_000;
const SUM_TABLES = ['report_totals', 'report_items', 'report_names'] as const;
/** Postgres resolves temporary tables first, so that recomputed sums are added to them instead of the stored sums. */
const SHADOWS = SUM_TABLES.map(
  (table) => `create temp table ${table} (like ${table} including defaults including indexes)`,
).join(';');

interface Compared {
  readonly table: (typeof SUM_TABLES)[number];
  readonly key: readonly string[];
  /** SQL of the prefix of a measure in the name of a sum. */
  readonly name: string;
  readonly measures: readonly string[];
}

const COMPARED: readonly Compared[] = [
  {
    table: 'report_totals',
    key: ['level', 'start', 'currency'],
    name: `concat_ws(' ', 'totals', level, start, currency)`,
    measures: TOTAL_MEASURES,
  },
  {
    table: 'report_items',
    key: ['kind', 'level', 'start', 'item_id', 'currency'],
    name: `concat_ws(' ', kind, level, start, currency, item_id)`,
    measures: ITEM_MEASURES,
  },
];

/**
 * Recomputes every report's sums from clicks and settlements, and compares them; in one snapshot, beside the
 * running service. Sites whose references are being renamed for an erasure are left out: their rows are half joined. The sums are in Postgres: there may be millions, and only a part of them is in memory here.
 */
export async function verifyReports(pool: Pool, sizes: RecomputeSizes = {}): Promise<Verification> {
  const client = await pool.connect();
  try {
    await client.query(SHADOWS);
    await client.query('begin isolation level repeatable read read only');
    // Between two fetches the rows are added up, which may be slow; nothing waits for this snapshot.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query<{ site_id: string; timezone: string }>(
      `select site_id, timezone from site_calendars c
       where not exists (select from reference_renamings n where n.site_id = c.site_id) order by site_id`,
    );
    const differences: Difference[] = [];
    for (const { site_id: siteId, timezone } of rows) {
      await recompute(client, siteId, new Calendar(timezone), (part) => addToReports(client, part), sizes);
      for (const compared of COMPARED) differences.push(...(await differencesOf(client, siteId, compared)));
    }
    const sums = await countSums(client);
    await client.query('commit');
    return { sites: rows.length, sums, differences };
  } finally {
    // The temporary tables end with the connection.
    client.release(true);
  }
}

async function differencesOf(
  client: ClientBase,
  siteId: string,
  { table, key, name, measures }: Compared,
): Promise<readonly Difference[]> {
  const row = (alias: string): string =>
    `(${measures.map((one) => `coalesce(${alias}.${one}, 0)`).join(', ')})`;
  const texts = (alias: string): string =>
    `array[${measures.map((one) => `coalesce(${alias}.${one}, 0)::text`).join(', ')}]`;
  const { rows } = await client.query<{ name: string; kept: string[]; computed: string[] }>(
    `select ${name} as name, ${texts('kept')} as kept, ${texts('computed')} as computed
     from (select * from ${await schemaOf(client)}.${table} where site_id = $1) as kept
     full join (select * from pg_temp.${table} where site_id = $1) as computed using (${key.join(', ')})
     where ${row('kept')} <> ${row('computed')} order by 1 limit ${MAX_DIFFERENT_ROWS}`,
    [siteId],
  );
  return rows.flatMap((one) =>
    measures.flatMap((measure, index) => {
      const [kept, computed] = [BigInt(one.kept[index] ?? '0'), BigInt(one.computed[index] ?? '0')];
      return kept === computed ? [] : [{ siteId, sum: `${one.name} ${measure}`, kept, computed }];
    }),
  );
}

async function schemaOf(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ schema: string }>('select quote_ident(current_schema()) as schema');
  return rows[0]?.schema ?? 'public';
}

async function countSums(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ sums: number }>(
    `select ((select count(*) from pg_temp.report_totals) + (select count(*) from pg_temp.report_items))::float8 as sums`,
  );
  return rows[0]?.sums ?? 0;
}
