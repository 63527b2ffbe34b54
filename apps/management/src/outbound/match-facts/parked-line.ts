import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { nextInLine, storeParked } from '../storage/parked-fact.store.js';
import type { FactMatcher } from './match-facts.js';

/** How often what a process that died has left is looked for. */
const EVERY_MS = 3_000;
const RETRY_MS = 500;
const FAILURE = 'Facts in line cannot be stored; it is tried again.';

interface Parts {
  readonly pool: Pool;
  readonly matcher: Pick<FactMatcher, 'matchParked'>;
  readonly log: Pick<Logger, 'warn'>;
  /** Called when there is something to send. */
  readonly onStored: () => void;
}

/** Matches facts that wait in line, a piece of each workspace in turn. Wake it when there are some. */
export function matchFactsInLine({ pool, matcher, log, onStored }: Parts): Repetition {
  let last: string | undefined;
  return repeatedly({ everyMs: EVERY_MS, log, failure: FAILURE }, async (stopping) => {
    while (!stopping.aborted) {
      try {
        const workspaceId = await nextInLine(pool, last);
        if (workspaceId === undefined) return;
        // Also when it fails: no other one waits for it.
        last = workspaceId;
        await storeParked(pool, workspaceId, (fact) => matcher.matchParked(fact));
        onStored();
      } catch (error) {
        log.warn({ err: error }, FAILURE);
        await delay(RETRY_MS);
      }
    }
  });
}
