import { setTimeout as delay } from 'node:timers/promises';

/** The answer, or `late` when it takes longer; what it answers or throws afterwards is passed over. */
export async function withinTime<T, L>(answer: Promise<T>, timeoutMs: number, late: L): Promise<T | L> {
  const ended = new AbortController();
  try {
    return await Promise.race([answer, delay(timeoutMs, late, { signal: ended.signal })]);
  } finally {
    ended.abort();
  }
}
