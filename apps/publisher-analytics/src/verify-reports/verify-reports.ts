import type { ClientBase, Pool } from 'pg';
import { Calendar } from '@truetally/kernel';
import { ITEM_MEASURES, TOTAL_MEASURES } from '../domain/report-changes.js';
import { recompute, type RecomputeSizes } from '../storage/recompute.js';
import { addToReports } from '../storage/report-writes.js';
import { DEFAULT_TIME_ZONE } from '../storage/site-scope.js';

/** A stored sum, or the name that it is shown by, that differs from its rows. */
export interface Difference {
  readonly siteId: string;
  /** Table, key and measure. */
  readonly sum: string;
  readonly kept: string | null;
  readonly computed: string;
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

/** Those with sums, also where the zone of the sums is lost. */
const sitesIn = (schema: string): string => `
  select site_id, timezone
  from site_calendars full join (select distinct site_id from ${schema}.report_totals) as counted using (site_id)
  where site_id not in (select n.site_id from reference_renamings n)
    and site_id not in (select e.site_id from erased_sites e)
  order by site_id`;

/**
 * Recomputes every report's sums from clicks and settlements, and compares them; in one snapshot, beside the
 * running service. Sites that are being erased, or whose references are being renamed for an erasure, are left out: their rows are
 * half gone, or half joined. The sums are in Postgres: there may be millions, and only a part of them is in memory here.
 */
export async function verifyReports(pool: Pool, sizes: RecomputeSizes = {}): Promise<Verification> {
  const client = await pool.connect();
  try {
    await client.query(SHADOWS);
    await client.query('begin isolation level repeatable read read only');
    // Between two fetches the rows are added up, which may be slow; nothing waits for this snapshot.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query<{ site_id: string; timezone: string | null }>(
      sitesIn(await schemaOf(client)),
    );
    const differences: Difference[] = [];
    for (const { site_id: siteId, timezone: kept } of rows) {
      // Without one, reports are shown as of the default.
      const timezone = kept ?? DEFAULT_TIME_ZONE;
      if (kept === null) differences.push({ siteId, sum: 'time zone', kept, computed: timezone });
      await recompute(client, siteId, new Calendar(timezone), (part) => addToReports(client, part), sizes);
      for (const compared of COMPARED) differences.push(...(await differencesOf(client, siteId, compared)));
      differences.push(...(await wrongNames(client, siteId)));
    }
    differences.push(...(await wrongStates(client)));
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
      const [kept = '0', computed = '0'] = [one.kept[index], one.computed[index]];
      return kept === computed ? [] : [{ siteId, sum: `${one.name} ${measure}`, kept, computed }];
    }),
  );
}

/** Names that are shown no longer may be left over. */
async function wrongNames(client: ClientBase, siteId: string): Promise<readonly Difference[]> {
  const { rows } = await client.query<Omit<Difference, 'siteId'>>(
    `select 'name of ' || item_id as sum, kept.name as kept, computed.name as computed
     from pg_temp.report_names as computed
     left join ${await schemaOf(client)}.report_names as kept using (item_id, site_id)
     where site_id = $1 and kept.name is distinct from computed.name order by 1 limit ${MAX_DIFFERENT_ROWS}`,
    [siteId],
  );
  return rows.map((one) => ({ siteId, ...one }));
}

/**
 * What a settlement was before is older than what it is. Nobody else keeps former states: one whose amounts were changed, or that is
 * gone, cannot be found.
 */
async function wrongStates(client: ClientBase): Promise<readonly Difference[]> {
  const { rows } = await client.query<Difference>(
    `select current.site_id as "siteId", 'former state of ' || settlement_id as sum,
       former.updated_at::text as kept, 'before ' || current.updated_at as computed
     from settlement_states former join settlements current using (settlement_id)
     where former.updated_at >= current.updated_at
       and not exists (select from erased_sites e where e.site_id = current.site_id)
     order by 1, 2 limit ${MAX_DIFFERENT_ROWS}`,
  );
  return rows;
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
