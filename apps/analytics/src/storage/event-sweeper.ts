import { deleteOlder } from '@truetally/persistence';
import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { Pool } from 'pg';
import { mergeSmallBlocks } from './merge-blocks.js';

const EVERY_MS = 60_000;

/**
 * Forgets events that are as old as those that ingestion drops; their sums and purchases stay. And merges the small blocks in
 * which events come to a quiet site.
 */
export function sweepEvents(pool: Pool, retentionDays: number, log: Pick<Logger, 'warn'>): Repetition {
  const failure = 'Old events could not be forgotten; it is tried again.';
  return repeatedly({ everyMs: EVERY_MS, log, failure }, (stopping) =>
    sweepOnce(pool, retentionDays, stopping),
  );
}

/** In small pieces, until nothing is too old. */
export async function sweepOnce(
  pool: Pool,
  retentionDays: number,
  stopping: Pick<AbortSignal, 'aborted'>,
): Promise<void> {
  const keep = `${retentionDays} days`;
  const rows = { table: 'event_blocks', key: 'block_id', time: 'received_to', keep };
  // Terminates: each piece leaves fewer rows, and none becomes as old faster than pieces are deleted.
  while (!stopping.aborted && (await deleteOlder(pool, rows)));
  await mergeSmallBlocks(pool, () => stopping.aborted);
}
