import type { JobStepReport } from '@truetally/contracts/jobs';
import { appendToOutbox } from '@truetally/persistence';
import { erasureReport, SiteErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import { experimentTombstone } from '../experiments/experiment-fact.js';

/** Rows deleted per step. */
export interface ExperimentErasureSizes {
  readonly rows: number;
  readonly experiments: number;
}

const SIZES: ExperimentErasureSizes = { rows: 2_000, experiments: 100 };
/** In order of deletion; experiments are last, because their sums are found through them. */
const PLACES = [
  'assignments',
  'sessions_to_fold',
  'sites_to_fold',
  'pending_records',
  'session_records',
  'session_orders',
  'session_hours',
  'session_results',
  'excluded_sessions',
  'exclusion_rounds',
  'touches',
  'campaigns',
  'experiments',
] as const;
type Place = (typeof PLACES)[number];
/** The tables that a job counts: the others are copies of other services' data, or derived. */
const COUNTED: readonly Place[] = ['assignments', 'experiments'];

/** The next table, and its page: a step that repeats its cursor would loop. */
const CURSOR = /^([a-z_]+)\/(\d+)$/;

function cursorOf(place: Place, page: number): string {
  return `${place}/${page}`;
}

/** The key of each table whose rows are deleted individually. */
const KEYS: Readonly<Record<Exclude<Place, 'assignments' | 'experiments'>, string>> = {
  sessions_to_fold: 'site_id, assignment_id',
  sites_to_fold: 'site_id',
  pending_records: 'assignment_id, site_id, conversion_id, order_sequence, record_id',
  session_records: 'assignment_id, conversion_id, order_sequence, record_id',
  session_orders: 'assignment_id, conversion_id',
  session_hours: 'assignment_id, hour',
  session_results: 'assignment_id',
  excluded_sessions: 'assignment_id',
  exclusion_rounds: 'experiment_id',
  touches: 'touch_key',
  campaigns: 'campaign_id',
};

/** Deletes the data of a deleted site, table by table. */
export function experimentErasure(pool: Pool, sizes: ExperimentErasureSizes = SIZES): SiteErasure {
  return new SiteErasure(pool, (client, siteId, cursor) => eraseNext(client, siteId, cursor, sizes), {
    hasOutbox: true,
  });
}

async function eraseNext(
  client: ClientBase,
  siteId: string,
  cursor: string | null,
  sizes: ExperimentErasureSizes,
): Promise<JobStepReport> {
  if (cursor === null) return begin(client, siteId);
  const [, table, page = '0'] = CURSOR.exec(cursor) ?? [];
  const place = PLACES.find((one) => one === table);
  if (place === undefined) throw new Error('The cursor is none of these steps’.');
  const most = place === 'experiments' ? sizes.experiments : sizes.rows;
  const erased = await eraseFrom(client, place, siteId, most);
  const done = COUNTED.includes(place) ? erased : 0;
  if (erased === most) return erasureReport({ cursor: cursorOf(place, Number(page) + 1), done });
  const following = PLACES[PLACES.indexOf(place) + 1];
  return erasureReport({ cursor: following === undefined ? null : cursorOf(following, 0), done });
}

async function begin(client: ClientBase, siteId: string): Promise<JobStepReport> {
  await client.query('delete from sites where site_id = $1', [siteId]);
  const counts = COUNTED.map((place) => `(select count(*) from ${place} where site_id = $1)`);
  const { rows } = await client.query<{ found: number }>(`select (${counts.join(' + ')})::float8 as found`, [
    siteId,
  ]);
  return erasureReport({ cursor: cursorOf(PLACES[0], 0), found: rows[0]?.found ?? 0 });
}

function eraseFrom(client: ClientBase, place: Place, siteId: string, most: number): Promise<number> {
  if (place === 'assignments') return eraseAssignments(client, siteId, most);
  if (place === 'experiments') return eraseExperiments(client, siteId, most);
  return eraseRows(client, place, siteId, most);
}

async function eraseAssignments(client: ClientBase, siteId: string, most: number): Promise<number> {
  const { rows } = await client.query<{ erased: number }>(
    'select erased::float8 as erased from erase_assignments($1, $2)',
    [siteId, most],
  );
  return rows[0]?.erased ?? 0;
}

async function eraseRows(
  client: ClientBase,
  table: keyof typeof KEYS,
  siteId: string,
  most: number,
): Promise<number> {
  const { rowCount } = await client.query(
    `delete from ${table} where (${KEYS[table]}) in (
       select ${KEYS[table]} from ${table} where site_id = $1 limit $2)`,
    [siteId, most],
  );
  return rowCount ?? 0;
}

/** With their sums, and a tombstone for each. */
async function eraseExperiments(client: ClientBase, siteId: string, most: number): Promise<number> {
  const { rows } = await client.query<{ experiment_id: string }>(
    `delete from experiments where experiment_id in (
       select experiment_id from experiments where site_id = $1 limit $2)
     returning experiment_id`,
    [siteId, most],
  );
  const ids = rows.map((row) => row.experiment_id);
  for (const table of [
    'exclusion_changes',
    'arm_sums',
    'hour_sums',
    'sample_parts',
    'other_currency_orders',
  ]) {
    await client.query(`delete from ${table} where experiment_id = any($1::uuid[])`, [ids]);
  }
  await appendToOutbox(client, ids.map(experimentTombstone));
  return ids.length;
}
