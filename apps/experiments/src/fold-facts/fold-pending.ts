import { setTimeout as pause } from 'node:timers/promises';
import { type Logger, lookInterval } from '@truetally/platform';
import type { Pool } from 'pg';
import type { ExclusionStore } from '../storage/exclusion.store.js';
import { postponeRound, type Round } from '../storage/exclusion-rounds.js';
import type { FoldStore } from '../storage/fold.store.js';
import { nextTurns } from '../storage/next-turns.js';
import { postponeSite } from '../storage/pending-sessions.js';

/** Behind work; nothing waits, mostly. */
const LOOK_MS = 1_000;
/** Between two looks at all assignments. */
const REST_MS = 60_000;
const RETRY_MS = 1_000;
/** It works at most three quarters of the time: the event loop is for answers first. */
const WORK_PER_REST = 3;

/**
 * Folds in the background what waits: facts that were set aside, one piece of each site in turn, sessions that an experiment's rule
 * may exclude, one piece of each experiment in turn, and assignments whose fact never came.
 */
export function foldPending(
  pool: Pool,
  store: FoldStore,
  exclusions: ExclusionStore,
  log: Pick<Logger, 'warn'>,
): { close(): Promise<void> } {
  const stopping = new AbortController();
  const forgotten = new ForgottenAssignments(store);
  let workedMs = performance.now();
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedMs = performance.now();
      let restMs = lookInterval(LOOK_MS, startedMs - workedMs);
      try {
        const { siteId, round } = await nextTurns(pool);
        // Before facts, which may take long: another replica may end the round meanwhile.
        if (round !== undefined) await excludeNext(pool, exclusions, log, round);
        if (siteId !== undefined) await foldNext(pool, store, log, siteId);
        if (siteId !== undefined || round !== undefined) {
          workedMs = performance.now();
          restMs = (workedMs - startedMs) / WORK_PER_REST;
        } else await forgotten.look();
      } catch (error) {
        log.warn({ err: error }, 'Waiting facts could not be read: it is tried again.');
        restMs = RETRY_MS;
      }
      await pause(restMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = work();
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function foldNext(
  pool: Pool,
  store: FoldStore,
  log: Pick<Logger, 'warn'>,
  siteId: string,
): Promise<void> {
  try {
    await store.foldPending(siteId);
  } catch (error) {
    await postponeSite(pool, siteId);
    log.warn(
      { err: error, siteId },
      'The waiting facts of a site could not be folded: it is tried again later.',
    );
  }
}

/** The same for the next piece of an experiment that excludes sessions. */
async function excludeNext(
  pool: Pool,
  exclusions: ExclusionStore,
  log: Pick<Logger, 'warn'>,
  round: Round,
): Promise<void> {
  try {
    await exclusions.takePiece(round);
  } catch (error) {
    await postponeRound(pool, round.experimentId);
    log.warn(
      { err: error, experimentId: round.experimentId },
      'The exclusions of an experiment could not be applied: it is tried again later.',
    );
  }
}

/** Looks at all assignments in turn, some at a time. */
class ForgottenAssignments {
  private after: string | null = null;
  private nextMs = 0;

  constructor(private readonly store: FoldStore) {}

  async look(): Promise<void> {
    if (performance.now() < this.nextMs) return;
    this.after = await this.store.flagForgotten(this.after);
    if (this.after === null) this.nextMs = performance.now() + REST_MS;
  }
}
