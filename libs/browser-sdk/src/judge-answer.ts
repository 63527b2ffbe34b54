import { MS_PER_SECOND, MAX_SILENCE_MS, MIN_SILENCE_MS } from './limits.js';
import type { SdkError } from './types.js';

/** What is used of an HTTP answer; status 0 when there was none. */
export interface HttpAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly retryAfter?: string | null;
  readonly rateLimitReset?: string | null;
  readonly requestId?: string | undefined;
}

/** One entry of `results`. */
export interface ItemResult {
  readonly index: number;
  readonly status: 'stored' | 'duplicate' | 'failed';
  readonly event_id?: string;
  readonly timestamp?: string;
  readonly error?: SdkError & { readonly retryable?: boolean };
}

/**
 * What to do about an answer (specification, section 7.4):
 * - `answered`: each item by its result.
 * - `again`: with backoff, at least `afterMs` later.
 * - `silence`: nothing at all for `forMs`.
 * - `new-token`: once; a second time it is `refused`.
 * - `split`: something in the request breaks a rule: halves find out which item it is.
 * - `refused`: whatever is sent.
 */
export type Verdict =
  | { readonly kind: 'answered'; readonly results: readonly ItemResult[] }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'silence'; readonly forMs: number }
  | { readonly kind: 'new-token' | 'split' | 'refused' };

export function judgeAnswer(answer: HttpAnswer, nowMs: number): Verdict {
  const { status } = answer;
  const afterMs = (Number(answer.retryAfter) || 0) * MS_PER_SECOND;
  if (status === 201 || status === 207 || status === 200) {
    const results = resultsOf(answer.body);
    // Without them something between us and the service has answered in its place.
    return results ? { kind: 'answered', results } : { kind: 'again', afterMs };
  }
  if (status === 429) {
    // A duration does not depend on this clock, which may be wrong.
    const forMs = afterMs || (Number(answer.rateLimitReset) || 0) * MS_PER_SECOND - nowMs;
    return { kind: 'silence', forMs: Math.min(Math.max(forMs, MIN_SILENCE_MS), MAX_SILENCE_MS) };
  }
  if (status === 0 || status >= 500) return { kind: 'again', afterMs: Math.min(afterMs, MAX_SILENCE_MS) };
  if (status === 401) return { kind: 'new-token' };
  if (status === 400 || status === 413) return { kind: 'split' };
  return { kind: 'refused' };
}

/** `data` of the envelope. */
export function dataOf(body: unknown): Readonly<Record<string, unknown>> {
  return objectOf(objectOf(body)['data']);
}

/** The error of an answer, or of one of its items, without what a client did not ask for. */
export function errorOf(answer: HttpAnswer | undefined, error = objectOf(answer?.body)['error']): SdkError {
  const { code, message, details } = objectOf(error);
  return {
    code: String(code ?? `HTTP_${answer?.status}`),
    message: String(message ?? 'The service gave no reason.'),
    details,
    request_id: answer?.requestId,
  };
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function resultsOf(body: unknown): readonly ItemResult[] | undefined {
  const { results } = dataOf(body);
  return Array.isArray(results) ? (results as ItemResult[]) : undefined;
}
