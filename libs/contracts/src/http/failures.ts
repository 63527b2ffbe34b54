import { type FailureCode } from '@truetally/kernel';

/** All codes that a client can receive; the list is closed. */
export type ErrorCode = Exclude<FailureCode, 'UNAVAILABLE'>;

/** How the gateway answers a failure. */
export interface FailureRule {
  readonly status: number;
  readonly code: ErrorCode;
  /** Whether the same request can succeed later. It tells a client to retry or to give up. */
  readonly retryable: boolean;
}

/** The HTTP status of every failure (interface page, sections 1 and 4). */
export const FAILURES: Readonly<Record<FailureCode, FailureRule>> = {
  VALIDATION_ERROR: { status: 400, code: 'VALIDATION_ERROR', retryable: false },
  BAD_REQUEST: { status: 400, code: 'BAD_REQUEST', retryable: false },
  UNAUTHORIZED: { status: 401, code: 'UNAUTHORIZED', retryable: false },
  FORBIDDEN: { status: 403, code: 'FORBIDDEN', retryable: false },
  NOT_FOUND: { status: 404, code: 'NOT_FOUND', retryable: false },
  CONFLICT: { status: 409, code: 'CONFLICT', retryable: false },
  RATE_LIMIT_EXCEEDED: { status: 429, code: 'RATE_LIMIT_EXCEEDED', retryable: true },
  INTERNAL_ERROR: { status: 500, code: 'INTERNAL_ERROR', retryable: true },
  UNAVAILABLE: { status: 503, code: 'INTERNAL_ERROR', retryable: true },
};

export const ERROR_CODES: readonly ErrorCode[] = [
  ...new Set(Object.values(FAILURES).map(({ code }) => code)),
];
