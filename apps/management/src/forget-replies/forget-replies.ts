import { forgetOldReplies } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { forgetIdempotentReplies } from '../storage/idempotent-replies.js';

/** One bounded delete at a time: more old replies than that in a minute means more commands than this service sees. */
const INTERVAL_MS = 60_000;

/** Replies that no redelivery and no client can ask for any more are removed in the background. */
export function startForgetting(pool: Pool, log: Logger): { stop(): void } {
  const forget = (): void => {
    Promise.all([forgetOldReplies(pool), forgetIdempotentReplies(pool)]).catch((error: unknown) => {
      log.warn({ err: error }, 'Old replies could not be removed; it is tried again.');
    });
  };
  const timer = setInterval(forget, INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
