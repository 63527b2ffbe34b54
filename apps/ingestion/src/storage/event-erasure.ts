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
import { erasePeopleOfSite } from './person-erasure.js';

/** Bounds of one deletion step. */
export interface EventErasureSizes {
  readonly blocks: number;
  readonly counts: number;
}

/** 16 MiB of a partition: some tens of milliseconds, and at most some ten thousand rows. */
const SIZES: EventErasureSizes = { blocks: 2_048, counts: 10_000 };
/** The cursor of the counters; later pieces append their number. */
const COUNTS = 'counts';
const PIECE_OF_COUNTS = /^counts(?:\/(\d{1,15}))?$/;
/** A partition's start, and the place in it. */
const PLACE = /^events\/([^/]+)\/(.+)$/;

/**
 * Deletes a site's events: every partition is scanned, then the counters are deleted. Only event rows are counted:
 * they are the total of the job.
 */
export function eventErasure(pool: Pool, sizes: EventErasureSizes = SIZES): SiteErasure {
  return new SiteErasure(pool, (client, siteId, cursor) => eraseNext(client, siteId, cursor, sizes), {
    hasOutbox: false,
  });
}

async function eraseNext(
  client: ClientBase,
  siteId: string,
  cursor: string | null,
  sizes: EventErasureSizes,
): Promise<JobStepReport> {
  if (cursor === null) return begin(client, siteId);
  const counts = PIECE_OF_COUNTS.exec(cursor);
  if (counts !== null) return eraseCounts(client, siteId, Number(counts[1] ?? 0), sizes.counts);
  const [, startsAt = '', place = ''] = PLACE.exec(cursor) ?? [];
  const from = parseBlockPlace(place);
  if (from === undefined) throw new Error('The cursor is none of these steps’.');
  return eraseEvents(client, siteId, { startsAt, from }, sizes.blocks);
}

/** The counters give the number of rows: both are written together. */
async function begin(client: ClientBase, siteId: string): Promise<JobStepReport> {
  await erasePeopleOfSite(client, siteId);
  const { rows } = await client.query<{ stored: number }>(
    'select coalesce(sum(stored), 0)::float8 as stored from event_counts where site_id = $1',
    [siteId],
  );
  const found = rows[0]?.stored ?? 0;
  // Without a stored event there is nothing to look for in anybody's partitions.
  return erasureReport({ cursor: found === 0 ? COUNTS : await placeAfter(client, '-infinity'), found });
}

async function eraseEvents(
  client: ClientBase,
  siteId: string,
  { startsAt, from }: { readonly startsAt: string; readonly from: BlockPlace },
  blocks: number,
): Promise<JobStepReport> {
  const { rows } = await client.query<{ erased: number; table_name: string | null }>(
    `select erased::float8 as erased,
       (select quote_ident(table_name) from event_partitions where starts_at = $2) as table_name
     from erase_events($1, $2, $3, $4)`,
    [siteId, startsAt, from.block, blocks],
  );
  const { erased = 0, table_name: table = null } = rows[0] ?? {};
  // Without a table the partition was dropped meanwhile.
  const next = table === null ? undefined : await blockAfter(client, [table], from, blocks);
  const cursor = next === undefined ? await placeAfter(client, startsAt) : placeOf(startsAt, next);
  return erasureReport({ cursor, done: erased });
}

/** In any order: nothing of the site is counted any more, so that each piece leaves fewer rows. */
async function eraseCounts(
  client: ClientBase,
  siteId: string,
  piece: number,
  most: number,
): Promise<JobStepReport> {
  const { rows } = await client.query<{ erased: number }>('select erase_counts($1, $2)::integer as erased', [
    siteId,
    most,
  ]);
  return erasureReport({ cursor: rows[0]?.erased === most ? `${COUNTS}/${piece + 1}` : null });
}

/** The start of the next partition; after the last one the counters. */
async function placeAfter(client: ClientBase, startsAt: string): Promise<string> {
  const { rows } = await client.query<{ starts_at: string }>(
    'select starts_at::text from event_partitions where starts_at > $1 order by starts_at limit 1',
    [startsAt],
  );
  return rows[0] === undefined ? COUNTS : placeOf(rows[0].starts_at, FIRST_BLOCK);
}

function placeOf(startsAt: string, place: BlockPlace): string {
  return `events/${startsAt}/${formatBlockPlace(place)}`;
}
