import { forgetOldReplies } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { forgetIdempotentReplies } from '../storage/idempotent-replies.js';
import { forgetFinishedJobs } from '../storage/job.store.js';

/** One bounded delete of each at a time: more in a minute means more commands than this service sees. */
const INTERVAL_MS = 60_000;

/** Replies and jobs that no redelivery and no client can ask for any more are removed in the background. */
export function startForgetting(pool: Pool, log: Logger): { stop(): void } {
  const forget = (): void => {
    Promise.all([forgetOldReplies(pool), forgetIdempotentReplies(pool), forgetFinishedJobs(pool)]).catch(
      (error: unknown) => {
        log.warn({ err: error }, 'Old replies and jobs could not be removed; it is tried again.');
      },
    );
  };
  const timer = setInterval(forget, INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
