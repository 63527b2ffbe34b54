import type { JobStepReport } from '@truetally/contracts/jobs';
import { deleteOfSite } from '@truetally/persistence';
import { erasureReport, SiteErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import type { ClickHouseErasure } from '../clickhouse/clickhouse-erasure.js';

/** Rows of one deletion step. */
const ROWS_PER_STEP = 5_000;
/** Events first: they are the total of the job, the others are made of them. */
const TABLES = [
  'events',
  'event_sums',
  'session_quarters',
  'session_spans',
  'touches',
  'purchases',
  'ledger_entries',
  'product_popularity',
  'product_neighbours',
] as const;
const FIRST = `${TABLES[0]}/0`;
const PLACE = /^([a-z_]+)\/(\d{1,15})$/;

/** Deletes the data of a deleted site: in ClickHouse, where there is one, and then table by table. */
export function analyticsErasure(
  pool: Pool,
  { rows = ROWS_PER_STEP, elsewhere }: ErasureOptions = {},
): SiteErasure {
  const erase = async (client: ClientBase, siteId: string, cursor: string | null): Promise<JobStepReport> => {
    if (cursor !== null || elsewhere === undefined) return eraseNext(client, siteId, cursor, rows);
    const events = await elsewhere.eraseSite(siteId);
    return erasureReport({ cursor: FIRST, found: events, done: events });
  };
  return new SiteErasure(pool, erase, { hasOutbox: false });
}

export interface ErasureOptions {
  /** Of one step. */
  readonly rows?: number;
  readonly elsewhere?: Pick<ClickHouseErasure, 'eraseSite'> | undefined;
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
  const erased = await deleteOfSite(client, { table }, siteId, most);
  const counted = table === 'events' ? { found: erased, done: erased } : {};
  if (erased === most) return erasureReport({ ...counted, cursor: `${table}/${Number(step) + 1}` });
  const next = TABLES[place + 1];
  return erasureReport({ ...counted, cursor: next === undefined ? null : `${next}/0` });
}
