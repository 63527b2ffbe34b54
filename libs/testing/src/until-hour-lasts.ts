import { eventually } from '@truetally/processes';

const HOUR_MS = 3_600_000;
/** Lets the clock's hour turn before the wait is over, even on a busy machine. */
const SLACK_MS = 5_000;

/** The longest time that a rate limit's test needs, on a machine that runs all the others beside it. */
const USUAL_MS = 60_000;

/**
 * If the UTC hour is about to end, waits until the next one: hourly limits reset then, and a test that
 * compares the remaining limit would find more than it expects.
 */
export async function untilHourLasts(wantedMs = USUAL_MS, nowMs: () => number = Date.now): Promise<void> {
  await eventually(() => HOUR_MS - (nowMs() % HOUR_MS) >= wantedMs, {
    timeoutMs: wantedMs + SLACK_MS,
    message: 'the next hour',
  });
}
