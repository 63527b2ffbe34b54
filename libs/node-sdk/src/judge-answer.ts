import type { Answer } from './transport.js';

/**
 * What to do about an answer (specification, section 7.4):
 * - `accepted`: its body says the rest.
 * - `again`: with backoff, at least `afterMs` later.
 * - `limited`: nothing for `afterMs`, unless it costs no more than `remaining`.
 * - `split`: something in the request breaks a rule, or it is too large.
 * - `refused`: whatever is sent.
 */
export type Verdict =
  | { readonly kind: 'accepted' | 'refused' | 'split' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'limited'; readonly afterMs: number; readonly remaining: number };

const MS_PER_SECOND = 1000;
/** Limits are per clock hour: a longer wait would come from a wrong clock. */
const MAX_WAIT_MS = 3_600_000;
const MIN_LIMITED_MS = 1000;

export function judgeAnswer(answer: Answer, nowMs: number): Verdict {
  const { status, headers } = answer;
  const retryAfterMs = Math.min(secondsOf(headers.get('retry-after')) * MS_PER_SECOND, MAX_WAIT_MS);
  if (status >= 200 && status < 300) {
    const isOurs = answer.body?.['success'] === true;
    return isOurs ? { kind: 'accepted' } : { kind: 'again', afterMs: retryAfterMs };
  }
  if (status === 429) {
    const untilResetMs = secondsOf(headers.get('x-ratelimit-reset')) * MS_PER_SECOND - nowMs;
    // A duration does not depend on this machine's clock, which may be wrong.
    const afterMs = Math.min(Math.max(retryAfterMs || untilResetMs, MIN_LIMITED_MS), MAX_WAIT_MS);
    return { kind: 'limited', afterMs, remaining: secondsOf(headers.get('x-ratelimit-remaining')) };
  }
  if (status === 0 || status >= 500) return { kind: 'again', afterMs: retryAfterMs };
  return { kind: status === 400 || status === 413 ? 'split' : 'refused' };
}

const BASE_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;

/** Exponential backoff with full jitter. @param failures in a row, from 1 */
export function backoffMs(failures: number, random: () => number): number {
  return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(failures, 16));
}

function secondsOf(header: string | null): number {
  const seconds = Number(header ?? 0);
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : 0;
}
