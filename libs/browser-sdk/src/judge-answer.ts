import type { SdkError } from './types.js';

/** What is used of an HTTP answer; status 0 when there was none. */
export interface HttpAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly retryAfter?: string | null;
  readonly rateLimitReset?: string | null;
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

/** Limits are per clock hour: a longer silence would come from a wrong clock. */
const MAX_SILENCE_MS = 3_600_000;
const MIN_SILENCE_MS = 1_000;
const MS_PER_SECOND = 1000;

export function judgeAnswer(answer: HttpAnswer, nowMs: number): Verdict {
  const { status } = answer;
  const afterMs = (Number(answer.retryAfter) || 0) * MS_PER_SECOND;
  if (status === 201 || status === 207 || status === 200) {
    const results = resultsOf(answer.body);
    // Something between us and the service has answered in its place.
    return results === undefined ? { kind: 'again', afterMs } : { kind: 'answered', results };
  }
  if (status === 429) {
    const untilResetMs = (Number(answer.rateLimitReset) || 0) * MS_PER_SECOND - nowMs;
    return {
      kind: 'silence',
      forMs: Math.min(Math.max(untilResetMs, afterMs, MIN_SILENCE_MS), MAX_SILENCE_MS),
    };
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

/** The error of the envelope, without what a client did not ask for. */
export function errorOf(body: unknown, status = 0): SdkError {
  const { code, message, details } = objectOf(objectOf(body)['error']);
  return {
    code: typeof code === 'string' ? code : `HTTP_${status}`,
    message: typeof message === 'string' ? message : 'The service gave no reason.',
    details,
  };
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function resultsOf(body: unknown): readonly ItemResult[] | undefined {
  const { results } = dataOf(body);
  return Array.isArray(results) ? (results as ItemResult[]) : undefined;
}
