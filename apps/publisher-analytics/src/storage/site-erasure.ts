import type { JobStepReport } from '@truetally/contracts/jobs';
import {
  blockAfter,
  type BlockPlace,
  deleteOfSite,
  FIRST_BLOCK,
  formatBlockPlace,
  parseBlockPlace,
} from '@truetally/persistence';
import { erasureReport, SiteErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';

/** Bounds of one deletion step. */
export interface SiteErasureSizes {
  /** And of their former states. */
  readonly settlements: number;
  readonly sums: number;
  readonly blocks: number;
}

/** Blocks: 16 MiB of each table. */
const SIZES: SiteErasureSizes = { settlements: 1_000, sums: 5_000, blocks: 2_048 };
const PLACE = /^(settlements|sums)\/(\d+)$/;
const BLOCKS = /^blocks\/(.+)$/;
/** Tables by site whose rows are derived, or on their way to another. */
const SUM_TABLES = [
  'parked_clicks',
  'reference_renamings',
  'report_items',
  'report_totals',
  'report_names',
  'pull_states',
];

/** Deletes the data of a deleted site: settlements, sums, then clicks in disk order. */
export function publisherErasure(pool: Pool, sizes: SiteErasureSizes = SIZES): SiteErasure {
  return new SiteErasure(pool, (client, siteId, cursor) => eraseNext(client, siteId, cursor, sizes), {
    hasOutbox: true,
  });
}

async function eraseNext(
  client: ClientBase,
  siteId: string,
  cursor: string | null,
  sizes: SiteErasureSizes,
): Promise<JobStepReport> {
  const [, kind, place = '0'] = PLACE.exec(cursor ?? 'settlements/0') ?? [];
  if (kind === 'settlements') return eraseSettlements(client, siteId, Number(place), sizes.settlements);
  if (kind === 'sums') return eraseSums(client, siteId, Number(place), sizes.sums);
  const blocks = parseBlockPlace(BLOCKS.exec(cursor ?? '')?.[1] ?? '');
  if (blocks !== undefined) return eraseClicks(client, siteId, blocks, sizes.blocks);
  throw new Error('The cursor is none of these steps’.');
}

async function eraseSettlements(
  client: ClientBase,
  siteId: string,
  step: number,
  most: number,
): Promise<JobStepReport> {
  const { rows } = await client.query<{ erased: number; is_last: boolean }>(
    'select erased::float8 as erased, is_last from erase_settlements($1, $2)',
    [siteId, most],
  );
  const { erased = 0, is_last: isLast = true } = rows[0] ?? {};
  const cursor = isLast ? 'sums/0' : `settlements/${step + 1}`;
  return erasureReport({ cursor, found: erased, done: erased });
}

/**
 * Sums and names are derived, and not counted. Every transaction with a click of the site has written its calendar: without
 * one, there is nothing to look for among everybody's clicks.
 */
async function eraseSums(
  client: ClientBase,
  siteId: string,
  step: number,
  most: number,
): Promise<JobStepReport> {
  for (const table of SUM_TABLES) {
    const erased = await deleteOfSite(client, { table }, siteId, most);
    if (erased === most) return erasureReport({ cursor: `sums/${step + 1}` });
  }
  const { rowCount: calendars } = await client.query('delete from site_calendars where site_id = $1', [
    siteId,
  ]);
  return erasureReport({ cursor: calendars === 0 ? null : blocksAt(FIRST_BLOCK) });
}

async function eraseClicks(
  client: ClientBase,
  siteId: string,
  from: BlockPlace,
  length: number,
): Promise<JobStepReport> {
  const { rows } = await client.query<{ erased: number }>(
    'select erased::float8 as erased from erase_blocks($1, $2, $3)',
    [siteId, from.block, from.block + length],
  );
  const erased = rows[0]?.erased ?? 0;
  const next = await blockAfter(client, ['clicks', 'click_references'], from, length);
  return erasureReport({ cursor: next === undefined ? null : blocksAt(next), found: erased, done: erased });
}

function blocksAt(place: BlockPlace): string {
  return `blocks/${formatBlockPlace(place)}`;
}
