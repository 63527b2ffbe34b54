import type { JobStepReport } from '@truetally/contracts/jobs';
import { deleteOfSite } from '@truetally/persistence';
import { erasureReport, SiteErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import type { ClickHouseErasure } from '../clickhouse/clickhouse-erasure.js';
import { eraseElsewhere } from './erase-elsewhere.js';

/** Rows of one deletion step. */
const ROWS_PER_STEP = 5_000;
/** A block counts as so many rows. */
const EVENTS_OF_BLOCK = 1_000;
/** Events first: they are the total of the job, the others are made of them. */
const TABLES = [
  'event_blocks',
  'event_sums',
  'session_quarters',
  'session_spans',
  'touches',
  'purchases',
  'ledger_entries',
  'parked_baskets',
  'product_popularity',
  'product_neighbours',
] as const;
const [BLOCKS] = TABLES;
const FIRST = `${BLOCKS}/0`;
const PLACE = /^([a-z_]+)\/(\d{1,15})$/;

/** Deletes the data of a deleted site: in ClickHouse, where there is one, and then table by table. */
export function analyticsErasure(
  pool: Pool,
  { rows = ROWS_PER_STEP, elsewhere }: ErasureOptions = {},
): SiteErasure {
  const erase = async (client: ClientBase, siteId: string, cursor: string | null): Promise<JobStepReport> => {
    if (cursor !== null || elsewhere === undefined) return eraseNext(client, siteId, cursor, rows);
    const name = `erasure of site ${siteId}`;
    const events = await eraseElsewhere({ pool, client, name }, elsewhere.ofSite(siteId));
    return erasureReport({ cursor: FIRST, found: events, done: events });
  };
  return new SiteErasure(pool, erase, { hasOutbox: false });
}

export interface ErasureOptions {
  /** Of one step. */
  readonly rows?: number;
  readonly elsewhere?: Pick<ClickHouseErasure, 'ofSite'> | undefined;
}

async function eraseNext(
  client: ClientBase,
  siteId: string,
  cursor: string | null,
  most: number,
): Promise<JobStepReport> {
  const [, name, step = '0'] = PLACE.exec(cursor ?? FIRST) ?? [];
  const place = TABLES.findIndex((table) => table === name);
  const table = TABLES[place];
  if (table === undefined) throw new Error('The cursor is none of these steps’.');
  const areBlocks = table === BLOCKS;
  const limit = areBlocks ? Math.ceil(most / EVENTS_OF_BLOCK) : most;
  const erased = areBlocks
    ? await deleteBlocks(client, siteId, limit)
    : { rows: await deleteOfSite(client, { table }, siteId, limit), events: 0 };
  const counted = areBlocks ? { found: erased.events, done: erased.events } : {};
  // Blocks may be merged or forgotten meanwhile: only where none is left there are none.
  if (areBlocks ? erased.rows > 0 : erased.rows === limit)
    return erasureReport({ ...counted, cursor: `${table}/${Number(step) + 1}` });
  const next = TABLES[place + 1];
  return erasureReport({ ...counted, cursor: next === undefined ? null : `${next}/0` });
}

const DELETE_BLOCKS = `
  with deleted as (
    delete from event_blocks where ctid = any (array(select ctid from event_blocks where site_id = $1 limit $2)) returning events)
  select count(*)::integer as rows, coalesce(sum(events), 0)::integer as events from deleted`;

async function deleteBlocks(
  client: ClientBase,
  siteId: string,
  limit: number,
): Promise<{ readonly rows: number; readonly events: number }> {
  const { rows } = await client.query<{ rows: number; events: number }>(DELETE_BLOCKS, [siteId, limit]);
  return rows[0] ?? { rows: 0, events: 0 };
}
