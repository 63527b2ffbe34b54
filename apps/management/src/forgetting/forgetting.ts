import { forgetOldReplies } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { forgetIdempotentReplies } from '../storage/idempotent-replies.js';
import { forgetFinishedJobs } from '../storage/job.store.js';

const INTERVAL_MS = 60_000;
/** Bounded deletes of each kind in one interval: of 1,000 rows each, more than commands can come meanwhile. */
const MAX_DELETES = 100;

/** Each removes a bounded number, and says whether there may be others. */
const KINDS = [forgetOldReplies, forgetIdempotentReplies, forgetFinishedJobs];

/** Replies and jobs that no redelivery and no client can ask for any more are removed in the background. */
export function startForgetting(pool: Pool, log: Logger): { stop(): void } {
  let isStopped = false;
  const forget = async (): Promise<void> => {
    for (const forgetSome of KINDS) {
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
        log.warn({ err: error }, 'Old replies and jobs could not be removed; it is tried again.');
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
