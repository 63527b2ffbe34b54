import { forgetOldReplies } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { forgetIdempotentReplies } from './idempotent-replies.js';

const INTERVAL_MS = 60_000;
/** Bounded deletes of each kind in one interval: of 1,000 rows each, more than commands can come meanwhile. */
const MAX_DELETES = 100;

/** Removes a bounded number of rows, and says whether there may be others. */
export type ForgetSome = (pool: Pool) => Promise<boolean>;

const REPLIES: readonly ForgetSome[] = [forgetOldReplies, forgetIdempotentReplies];

/**
 * Removes in the background what nobody can ask for any more: replies to commands that no redelivery and no client
 * repeats, and what else the service names.
 */
export function startForgetting(
  pool: Pool,
  log: Logger,
  others: readonly ForgetSome[] = [],
): { stop(): void } {
  let isStopped = false;
  const forget = async (): Promise<void> => {
    for (const forgetSome of [...REPLIES, ...others]) {
      let areLeft = true;
      for (let deletes = 0; areLeft && deletes < MAX_DELETES && !isStopped; deletes += 1) {
        areLeft = await forgetSome(pool);
      }
    }
  };
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= forget()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'Old replies could not be removed; it is tried again.');
      })
      .finally(() => {
        running = undefined;
      });
  }, INTERVAL_MS);
  timer.unref();
  const stop = (): void => {
    isStopped = true;
    clearInterval(timer);
  };
  return { stop };
}
