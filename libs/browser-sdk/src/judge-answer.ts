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

// What to do about an answer (specification, section 7.4), as numbers: words would be a part of each page. From `TOKEN` on the
// same request may be answered otherwise later.

/** Whatever is sent. */
export const REFUSED = 0;
/** Something in the request breaks a rule: halves find out which item it is. */
export const SPLIT = 1;
/** Each item by its result. */
export const RESULTS = 2;
/** A new one, once; a second time it is `REFUSED`. */
export const TOKEN = 3;
/** With backoff, at least `waitMs` later. */
export const RETRY = 4;
/** Nothing at all for `waitMs`. */
export const PAUSE = 5;

export interface Verdict {
  readonly kind: typeof REFUSED | typeof SPLIT | typeof RESULTS | typeof TOKEN | typeof RETRY | typeof PAUSE;
  readonly waitMs: number;
}

export function judgeAnswer({ status, retryAfterMs, resetMs }: Reply, nowMs: number): Verdict {
  const isSilence = status === 429;
  return {
    kind: isSilence
      ? PAUSE
      : !status || status >= 500
        ? RETRY
        : status < 300
          ? RESULTS
          : status === 401
            ? TOKEN
            : status === 400 || status === 413
              ? SPLIT
              : REFUSED,
    // A duration does not depend on this clock, which may be wrong.
    waitMs: Math.min(
      isSilence ? Math.max(retryAfterMs || resetMs - nowMs, MIN_SILENCE_MS) : retryAfterMs,
      MAX_SILENCE_MS,
    ),
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
