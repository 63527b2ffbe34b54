import type { Metrics } from '@truetally/platform';
import type { Pool } from 'pg';

const MS_PER_SECOND = 1_000;
/** A longer queue is counted up to this number: an exact count has no use. */
const MAX_COUNTED = 10_000;

/** Reports how many of a pool's connections are in use, and how many callers wait for one. */
export function observePool(metrics: Metrics, pool: Pool): void {
  const read = () =>
    Promise.resolve([
      [{ state: 'busy' }, pool.totalCount - pool.idleCount],
      [{ state: 'idle' }, pool.idleCount],
    ] as const);
  metrics.observedAll('database_connections', 'Connections of the pool.', ['state'], read);
  // An idle connection takes its caller before anything else happens: a scrape that itself asks Postgres something is none.
  const readWaiting = () => Math.max(0, pool.waitingCount - pool.idleCount);
  metrics.observed('database_waiting', 'Callers that wait for a connection.', readWaiting);
}

/**
 * Reports the outbox: how many facts wait, and how long the oldest has been seen there. Read at each scrape;
 * left out while Postgres is unavailable.
 */
export function observeOutbox(metrics: Metrics, pool: Pool, nowMs: () => number): void {
  let oldest: { readonly id: string; readonly seenMs: number } | undefined;
  const readQueue = async () => {
    const { rows } = await pool.query<{ waiting: number; oldest: string | null }>(
      `select count(*)::int as waiting, min(id)::text as oldest from (select id from outbox order by id limit $1) as queue`,
      [MAX_COUNTED],
    );
    const id = rows[0]?.oldest ?? null;
    if (id === null) oldest = undefined;
    else if (oldest?.id !== id) oldest = { id, seenMs: nowMs() };
    const ageSeconds = oldest === undefined ? 0 : (nowMs() - oldest.seenMs) / MS_PER_SECOND;
    return { waiting: rows[0]?.waiting ?? 0, ageSeconds };
  };
  metrics.observedAll(
    'outbox_queue',
    'The outbox: facts that wait (facts, at most 10,000), and how long the oldest was seen there (seconds).',
    ['what'],
    async () => {
      try {
        const { waiting, ageSeconds } = await readQueue();
        return [
          [{ what: 'facts' }, waiting],
          [{ what: 'seconds' }, ageSeconds],
        ];
      } catch {
        // Readiness reports that Postgres is unavailable; the other metrics must stay readable.
        return [];
      }
    },
  );
}
