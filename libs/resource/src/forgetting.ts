import { forgetOldReplies } from '@truetally/persistence';
import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { Pool } from 'pg';
import { forgetIdempotentReplies, forgetReplyBytes } from './idempotent-replies.js';

const INTERVAL_MS = 60_000;
/**
 * Maximum number of deletes of each kind in one interval: with 1,000 rows each, more than the commands of
 * that time.
 */
const MAX_DELETES = 100;

/** Deletes a bounded number of rows, and returns whether there may be more. */
export type ForgetSome = (pool: Pool) => Promise<boolean>;

const REPLIES: readonly ForgetSome[] = [forgetOldReplies, forgetIdempotentReplies, forgetReplyBytes];

/**
 * Deletes in the background what can no longer be requested: replies to commands beyond redelivery and client
 * retries, and what else the service names.
 */
export function startForgetting(
  pool: Pool,
  log: Logger,
  others: readonly ForgetSome[] = [],
): Pick<Repetition, 'close'> {
  const failure = 'Old replies could not be removed; it is tried again.';
  return repeatedly({ everyMs: INTERVAL_MS, log, failure }, async (stopping) => {
    for (const forgetSome of [...REPLIES, ...others]) {
      let areLeft = true;
      for (let deletes = 0; areLeft && deletes < MAX_DELETES && !stopping.aborted; deletes += 1) {
        areLeft = await forgetSome(pool);
      }
    }
  });
}
