import { MAX_SILENCE_MS, MIN_SILENCE_MS } from './limits.js';
import type { SdkError } from './types.js';

/** What is used of an HTTP answer; status 0 when there was none. */
export interface Reply {
  readonly status: number;
  /** Of the envelope; empty without one. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
  /** 0 where the answer does not say so. */
  readonly retryAfterMs: number;
  /** Since 1970; 0 where the answer does not say so. */
  readonly resetMs: number;
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
 * - `results`: each item by its result.
 * - `retry`: with backoff, at least `waitMs` later.
 * - `pause`: nothing at all for `waitMs`.
 * - `token`: a new one, once; a second time it is `refused`.
 * - `split`: something in the request breaks a rule: halves find out which item it is.
 * - `refused`: whatever is sent.
 */
export interface Verdict {
  readonly kind: 'results' | 'retry' | 'pause' | 'token' | 'split' | 'refused';
  readonly waitMs: number;
  /** Whether the same request may be answered otherwise later. */
  readonly isPassing: boolean;
}

export function judgeAnswer({ status, retryAfterMs, resetMs }: Reply, nowMs: number): Verdict {
  const isSilence = status === 429;
  const isAgain = !status || status >= 500;
  const isToken = status === 401;
  return {
    kind: isSilence
      ? 'pause'
      : isAgain
        ? 'retry'
        : status < 300
          ? 'results'
          : isToken
            ? 'token'
            : status === 400 || status === 413
              ? 'split'
              : 'refused',
    // A duration does not depend on this clock, which may be wrong.
    waitMs: Math.min(
      isSilence ? Math.max(retryAfterMs || resetMs - nowMs, MIN_SILENCE_MS) : retryAfterMs,
      MAX_SILENCE_MS,
    ),
    isPassing: isSilence || isAgain || isToken,
  };
}

/** The error of an answer, or of one of its items, without what a client did not ask for. */
export function errorOf(reply: Reply | undefined, error = reply?.error): SdkError {
  const { code, message, details } = objectOf(error);
  return {
    code: String(code ?? `HTTP_${reply?.status}`),
    message: String(message ?? ''),
    details,
    request_id: reply?.requestId,
  };
}

/** Whose members may be asked for, whatever it is. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value) as Readonly<Record<string, unknown>>;
}
