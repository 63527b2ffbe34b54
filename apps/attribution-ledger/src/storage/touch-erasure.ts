import type { JobStepReport } from '@truetally/contracts/jobs';
import {
  blockAfter,
  type BlockPlace,
  FIRST_BLOCK,
  formatBlockPlace,
  parseBlockPlace,
} from '@truetally/persistence';
import { erasureReport, SiteErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import { forgetSettings } from './site-settings.js';

/** Bounds of deletion and counting in one step. */
export interface TouchErasureSizes {
  readonly touches: number;
  readonly counted: number;
  readonly blocks: number;
}

/** Blocks: 16 MiB of the table. */
const SIZES: TouchErasureSizes = { touches: 2_000, counted: 50_000, blocks: 2_048 };
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const NEWEST = `infinity/${LAST_ID}`;
const PLACE = /^(count|touches)\/([^/]+)\/([0-9a-f-]*)$/;
const AWAITED = /^awaited\/(.+)$/;

/**
 * Deletes a site's visitor data: its touches are counted and deleted with their click values, newest first; then
 * the waits of its orders. Its ledger and rules stay.
 */
export function touchErasure(pool: Pool, sizes: TouchErasureSizes = SIZES): SiteErasure {
  return new SiteErasure(pool, (client, siteId, cursor) => eraseNext(client, siteId, cursor, sizes), {
    hasOutbox: true,
  });
}

async function eraseNext(
  client: ClientBase,
  siteId: string,
  cursor: string | null,
  sizes: TouchErasureSizes,
): Promise<JobStepReport> {
  const [, table, place = '', id = ''] = PLACE.exec(cursor ?? `count/${NEWEST}`) ?? [];
  if (table === 'count') return countTouches(client, siteId, { before: place, beforeId: id }, sizes.counted);
  if (table === 'touches')
    return eraseTouches(client, siteId, { before: place, beforeId: id }, sizes.touches);
  const awaited = parseBlockPlace(AWAITED.exec(cursor ?? '')?.[1] ?? '');
  if (awaited !== undefined) return eraseAwaited(client, siteId, awaited, sizes.blocks);
  throw new Error('The cursor is none of these steps’.');
}

/** Position: older touches are next. */
interface Place {
  readonly before: string;
  readonly beforeId: string;
}

const COUNT_PAGE = `
  with page as (
    select recorded_at, id from touches where site_id = $1 and (recorded_at, id) < ($2::timestamptz, $3::uuid)
    order by recorded_at desc, id desc limit $4
  )
  select (select count(*) from page)::float8 as touches, last.recorded_at::text as place, last.id
  from (select recorded_at, id from page order by recorded_at, id limit 1) last`;

async function countTouches(
  client: ClientBase,
  siteId: string,
  { before, beforeId }: Place,
  most: number,
): Promise<JobStepReport> {
  const { rows } = await client.query<{ touches: number; place: string; id: string }>(COUNT_PAGE, [
    siteId,
    before,
    beforeId,
    most,
  ]);
  const [page] = rows;
  if (page === undefined) return erasureReport({ cursor: `touches/${NEWEST}` });
  return erasureReport({ cursor: `count/${page.place}/${page.id}`, found: page.touches });
}

async function eraseTouches(
  client: ClientBase,
  siteId: string,
  { before, beforeId }: Place,
  most: number,
): Promise<JobStepReport> {
  const { rows } = await client.query<{ erased: number; last: string | null; id: string | null }>(
    `select erased::float8 as erased, last_recorded_at::text as last, last_id as id
     from erase_touches($1, $2, $3, $4)`,
    [siteId, before, beforeId, most],
  );
  const { erased = 0, last = null, id = null } = rows[0] ?? {};
  if (last !== null) return erasureReport({ cursor: `touches/${last}/${String(id)}`, done: erased });
  if (await hasOrders(client, siteId)) return erasureReport({ cursor: awaitedAt(FIRST_BLOCK), done: erased });
  await forgetSettings(client, [siteId]);
  return erasureReport({ cursor: null, done: erased });
}

/** Only orders wait for touches. */
async function hasOrders(client: ClientBase, siteId: string): Promise<boolean> {
  const { rowCount } = await client.query('select from orders where site_id = $1 limit 1', [siteId]);
  return rowCount !== 0;
}

/** No index starts with the site: the table is read block by block. Only touches are counted. */
async function eraseAwaited(
  client: ClientBase,
  siteId: string,
  from: BlockPlace,
  blocks: number,
): Promise<JobStepReport> {
  await client.query(
    `delete from awaited_touches where ctid >= format('(%s,0)', $2::bigint)::tid
       and ctid < format('(%s,0)', $3::bigint)::tid and site_id = $1`,
    [siteId, from.block, from.block + blocks],
  );
  await forgetSettings(client, [siteId]);
  const next = await blockAfter(client, ['awaited_touches'], from, blocks);
  return erasureReport({ cursor: next === undefined ? null : awaitedAt(next) });
}

function awaitedAt(place: BlockPlace): string {
  return `awaited/${formatBlockPlace(place)}`;
}
