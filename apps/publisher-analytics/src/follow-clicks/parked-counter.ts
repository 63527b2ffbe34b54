import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { Pool } from 'pg';
import type { ClickStore } from '../storage/click.store.js';
import { sitesWithParked } from '../storage/parked-clicks.js';

/** Also finds what processes left that have ended. */
const LOOK_MS = 5_000;
/** That are waited for, each with a connection. */
const SITES_AT_ONCE = 2;
const LOCK_NOT_AVAILABLE = '55P03';

type Counting = Pick<ClickStore, 'countParked'>;

/** Counts clicks that were parked because their site was locked, in their order, once it is free. Wake it when there are new ones. */
export function countParkedClicks(pool: Pool, clicks: Counting, log: Pick<Logger, 'warn'>): Repetition {
  const failure = 'Parked clicks could not be counted; it is tried again.';
  return repeatedly({ everyMs: LOOK_MS, log, failure }, async (stopping) => {
    let sites = await sitesWithParked(pool);
    while (sites.length > 0 && !stopping.aborted) {
      const waiting = sites.values();
      const rounds = Array.from({ length: SITES_AT_ONCE }, () => countEach(clicks, waiting, stopping));
      for (const round of await Promise.allSettled(rounds))
        if (round.status === 'rejected') throw round.reason;
      sites = await sitesWithParked(pool);
    }
  });
}

/** One transaction of each site in turn. */
async function countEach(clicks: Counting, sites: Iterable<string>, stopping: AbortSignal): Promise<void> {
  for (const siteId of sites) {
    if (stopping.aborted) return;
    try {
      await clicks.countParked(siteId);
    } catch (error) {
      // Still locked: it comes again in the next round.
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
