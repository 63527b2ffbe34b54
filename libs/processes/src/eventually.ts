import { setTimeout as delay } from 'node:timers/promises';

/** Tests do not measure time, and machines may be slow: this only ends waits that can never succeed. */
const DEFAULT_TIMEOUT_MS = 240_000;
/**
 * Between two looks passes a seventh of the time that was waited so far: a short wait ends at once, and a long one does not
 * keep processors busy with looking, which is a request through all services where a test waits for what they store.
 */
const SHARE_OF_WAIT = 0.15;
const LEAST_INTERVAL_MS = 20;
const MOST_INTERVAL_MS = 250;

/** Deadline and polling interval of a wait. */
export interface EventuallyOptions {
  readonly timeoutMs?: number;
  /** Default: grows with the wait. */
  readonly intervalMs?: number;
  /** Description of the condition for the error. */
  readonly message?: string | (() => string);
}

/**
 * Waits until `condition` returns something truthy and returns it. A condition that throws is retried; its
 * last error is the cause of the timeout's.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, intervalMs, message = 'a condition' } = options;
  const begun = performance.now();
  const deadline = begun + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const value = await condition();
      cause = undefined;
      if (value) return value as Exclude<T, false | 0 | '' | null | undefined>;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) {
      const text = typeof message === 'function' ? message() : message;
      throw new Error(`Waited ${timeoutMs} ms in vain for ${text}`, { cause });
    }
    await delay(intervalMs ?? intervalAfter(performance.now() - begun));
  }
}

function intervalAfter(waitedMs: number): number {
  return Math.min(MOST_INTERVAL_MS, Math.max(LEAST_INTERVAL_MS, waitedMs * SHARE_OF_WAIT));
}
