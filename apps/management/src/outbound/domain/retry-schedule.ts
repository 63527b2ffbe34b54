const FIRST_RETRY_MIN_MS = 1_000;
const FIRST_RETRY_MAX_MS = 5_000;
const LONGEST_RETRY_MS = 3_600_000;
/** What an endpoint answers that is there no more. */
const GONE = 410;

/** How long a delivery is tried (interface page, section 10). */
export const DELIVERY_LIFETIME_HOURS = 24;

/**
 * How long to wait after a failed attempt: exponential backoff with full jitter, never less than a second, so that endpoints
 * which fail together are not called together again. The first wait is 1 to 5 s, the longest one an hour.
 * @param failures of this delivery since it was queued, at least 1
 * @param random in [0, 1)
 */
export function retryDelayMs(failures: number, random: number): number {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MAX_MS * 2 ** Math.min(failures - 1, 20));
  return Math.round(FIRST_RETRY_MIN_MS + random * (longest - FIRST_RETRY_MIN_MS));
}

/** How an endpoint has refused. */
export interface RefusedAttempt {
  /** Null without an answer. */
  readonly status: number | null;
  /** How long it asks to be left alone. */
  readonly retryAfterMs: number | null;
}

/** When the next attempt comes: not before the endpoint asks for, by at most an hour. Null: it is gone, and asked no more. */
export function nextAttemptMs(
  { status, retryAfterMs }: RefusedAttempt,
  failures: number,
  random: number,
): number | null {
  if (status === GONE) return null;
  return Math.max(retryDelayMs(failures, random), Math.min(retryAfterMs ?? 0, LONGEST_RETRY_MS));
}
