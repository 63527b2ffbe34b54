import type { JobStepReport } from '@truetally/contracts/jobs';
import { erasureReport, SiteErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';

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
const PLACE = /^events\/(.+)\/(\d{1,15})$/;

/**
 * Deletes a site's events: every partition is scanned, then the counters are deleted. Only event rows are counted:
 * they are the total of the job.
 */
export function eventErasure(pool: Pool, sizes: EventErasureSizes = SIZES): SiteErasure {
  return new SiteErasure(pool, (client, siteId, cursor) => eraseNext(client, siteId, cursor, sizes));
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
  const [, startsAt, block] = PLACE.exec(cursor) ?? [];
  if (startsAt === undefined || block === undefined) throw new Error('The cursor is none of these steps’.');
  return eraseEvents(client, siteId, { startsAt, block: Number(block) }, sizes.blocks);
}

/** The counters give the number of rows: both are written together. */
async function begin(client: ClientBase, siteId: string): Promise<JobStepReport> {
  const { rows } = await client.query<{ stored: number }>(
    'select coalesce(sum(stored), 0)::float8 as stored from event_counts where site_id = $1',
    [siteId],
  );
  return erasureReport({ cursor: await placeAfter(client, '-infinity'), found: rows[0]?.stored ?? 0 });
}

async function eraseEvents(
  client: ClientBase,
  siteId: string,
  { startsAt, block }: { readonly startsAt: string; readonly block: number },
  blocks: number,
): Promise<JobStepReport> {
  const { rows } = await client.query<{ erased: number; is_last: boolean }>(
    'select erased::float8 as erased, is_last from erase_events($1, $2, $3, $4)',
    [siteId, startsAt, block, blocks],
  );
  const { erased = 0, is_last: isLast = true } = rows[0] ?? {};
  const cursor = isLast ? await placeAfter(client, startsAt) : placeOf(startsAt, block + blocks);
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
  return rows[0] === undefined ? COUNTS : placeOf(rows[0].starts_at, 0);
}

function placeOf(startsAt: string, block: number): string {
  return `events/${startsAt}/${block}`;
}
