import { RETRY_INITIAL_MS, RETRY_MAX_MS } from './limits.js';

/** Exponential backoff with jitter, so that many processes do not retry at the same moment. */
export function backoffMs(attempt: number, initialMs = RETRY_INITIAL_MS, maxMs = RETRY_MAX_MS): number {
  const full = Math.min(maxMs, initialMs * 2 ** Math.min(attempt, MAX_DOUBLINGS));
  return full / 2 + Math.random() * (full / 2);
}

const MAX_DOUBLINGS = 16;

/** Resolves after `ms`, or as soon as the signal is aborted. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/** The promise's value, or `undefined` when it has not settled in time or has failed. */
export async function atMost<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
