import { eventually } from './eventually.js';

const HOUR_MS = 3_600_000;
/** The clock's hour turns before the wait is over, however busy the machine is. */
const SLACK_MS = 5_000;

/** What a rate limit's test needs at most, on a machine that runs all the others beside it. */
const USUAL_MS = 20_000;

/**
 * Waits, when the UTC hour is about to end, until the next one has begun: hourly limits count anew then, and a test that
 * compares what is left would find more than it should.
 */
export async function untilHourLasts(wantedMs = USUAL_MS, nowMs: () => number = Date.now): Promise<void> {
  await eventually(() => HOUR_MS - (nowMs() % HOUR_MS) >= wantedMs, {
    timeoutMs: wantedMs + SLACK_MS,
    message: 'the next hour',
  });
}
