import { type ErrorCode, FAILURES } from '@truetally/contracts/http';
import type { Failure, FieldErrors } from '@truetally/kernel';

/** One kind of refusal: what the client reads, without internals. */
export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** RFC 9110: every 401 names how to authenticate. */
  readonly challenge?: string;
  /** The `details` when the refusal itself names the field. */
  readonly details?: FieldErrors;
  /** Why it is an error of ours, for the log; clients never read it. */
  readonly reason?: string;
}

const CHALLENGE = 'Bearer realm="truetally"';
const INVALID = `${CHALLENGE}, error="invalid_token"`;
const SCOPE = `${CHALLENGE}, error="insufficient_scope"`;
const RETRY_SECONDS = 1;
/** A stream has to end first. */
const STREAM_SECONDS = 5;
/** A service's limits are by the hour: after this time there is room again for certain. */
const LIMIT_SECONDS = 3_600;

/**
 * Every refusal by the gateway itself: the only mapping of a cause to status, code and message (interface
 * page, section 1). A service's refusal arrives as a `Failure` and goes through `refusalOf`.
 */
export const REFUSALS = {
  'broken-rules': {
    status: 400,
    code: 'VALIDATION_ERROR',
    message: 'Some fields break a rule; details names them.',
  },
  'not-json': { status: 400, code: 'BAD_REQUEST', message: 'The body is not valid JSON.' },
  'duplicate-member': {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The body names a member of an object twice.',
  },
  'too-deep': {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The body nests objects and arrays deeper than any request needs.',
  },
  'too-many-members': {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The body holds an object of more members than any request needs.',
  },
  'too-many-numbers': {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The body holds more numbers of many digits or with an exponent than any request needs.',
  },
  'too-many-objects': {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The body holds more objects and arrays than any request needs.',
  },
  'unknown-query': {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The request has query parameters that this route does not know.',
  },
  'not-utf-8': { status: 400, code: 'BAD_REQUEST', message: 'The body is not valid UTF-8.' },
  'broken-encoding': {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The body cannot be read in its Content-Encoding.',
  },
  'incomplete-body': { status: 400, code: 'BAD_REQUEST', message: 'The body ended early.' },
  'slow-body': { status: 400, code: 'BAD_REQUEST', message: 'The body took too long to arrive.' },
  'broken-form': {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'The body is not a whole multipart form.',
  },
  'malformed-request': { status: 400, code: 'BAD_REQUEST', message: 'The request is not valid HTTP.' },
  'body-too-large': {
    status: 413,
    code: 'BAD_REQUEST',
    message: 'The body is larger than this route accepts.',
  },
  'unsupported-media-type': {
    status: 415,
    code: 'BAD_REQUEST',
    message: 'The body must be application/json in UTF-8, plain or with Content-Encoding gzip or br.',
  },
  'unsupported-upload': {
    status: 415,
    code: 'BAD_REQUEST',
    message:
      'The body must be text/csv or application/json in UTF-8, plain or with Content-Encoding gzip or br.',
  },
  'unsupported-form': {
    status: 415,
    code: 'BAD_REQUEST',
    message: 'The body must be multipart/form-data with a boundary, and without a Content-Encoding.',
  },
  'credential-missing': {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'A credential is required.',
    challenge: CHALLENGE,
  },
  'credential-ambiguous': {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'Exactly one credential is accepted, and only where this route takes it.',
    challenge: CHALLENGE,
  },
  'credential-invalid': {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'The credential is invalid, expired or revoked, or not valid for this origin.',
    challenge: INVALID,
  },
  'credential-kind': {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'This route takes another kind of credential.',
    challenge: CHALLENGE,
  },
  'scope-missing': {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'The credential does not hold the scope that this route needs.',
    challenge: SCOPE,
  },
  'scope-forbidden': {
    status: 403,
    code: 'FORBIDDEN',
    message: 'The credential does not hold the scope that this route needs.',
  },
  'subject-refused': {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'No token is issued for this site and origin.',
    challenge: CHALLENGE,
  },
  'browser-refused': {
    status: 403,
    code: 'FORBIDDEN',
    message: 'This route must not be called from a browser.',
  },
  'site-forbidden': {
    status: 403,
    code: 'FORBIDDEN',
    message: 'The credential belongs to another site.',
  },
  'role-forbidden': {
    status: 403,
    code: 'FORBIDDEN',
    message: 'The role in this workspace does not permit this.',
  },
  'membership-missing': {
    status: 403,
    code: 'FORBIDDEN',
    message: 'The user is a member of no workspace.',
  },
  'workspace-missing': {
    status: 400,
    code: 'VALIDATION_ERROR',
    message: 'The user is a member of several workspaces; X-Workspace-Id picks one.',
    details: { 'X-Workspace-Id': ['is required'] },
  },
  'workspace-malformed': {
    status: 400,
    code: 'VALIDATION_ERROR',
    message: 'X-Workspace-Id must be the id of a workspace.',
    details: { 'X-Workspace-Id': ['must be a UUID'] },
  },
  'workspace-unknown': { status: 404, code: 'NOT_FOUND', message: 'There is no such workspace.' },
  'site-unknown': { status: 404, code: 'NOT_FOUND', message: 'There is no such site.' },
  'person-erased': {
    status: 403,
    code: 'FORBIDDEN',
    message: 'The person was erased: nothing of them is stored any more.',
    details: { user_id: ['names a person who was erased'] },
  },
  'no-network': {
    status: 409,
    code: 'CONFLICT',
    message: 'The integration is with no partner network: it has no settlements.',
    details: { provider: ['must be a partner network'] },
  },
  'publisher-mode-off': {
    status: 409,
    code: 'CONFLICT',
    message: 'The site is not in active publisher mode.',
    details: { publisher_mode: ['must be active'] },
  },
  'signature-invalid': {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'The message is not signed by the platform, not of now, or was taken already.',
    challenge: CHALLENGE,
  },
  'not-found': { status: 404, code: 'NOT_FOUND', message: 'There is nothing at this address.' },
  'method-not-allowed': {
    status: 405,
    code: 'BAD_REQUEST',
    message: 'This address does not take this method; Allow names those that it takes.',
  },
  'limit-exceeded': {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'The hourly limit cannot hold this request.',
  },
  'streams-exceeded': {
    status: 429,
    code: 'RATE_LIMIT_EXCEEDED',
    message: 'This user or key has as many streams open as one may have.',
    retryAfterSeconds: STREAM_SECONDS,
  },
  'no-stream-left': {
    status: 503,
    code: 'INTERNAL_ERROR',
    message: 'As many streams are open here as can be served; try again.',
    retryAfterSeconds: STREAM_SECONDS,
  },
  'no-turn-left': {
    status: 503,
    code: 'INTERNAL_ERROR',
    message: 'As many requests of this workspace wait here as may wait; try again, with fewer at a time.',
    retryAfterSeconds: RETRY_SECONDS,
  },
  'internal-error': {
    status: 500,
    code: 'INTERNAL_ERROR',
    message: 'Something went wrong here; the request id names it.',
  },
  unavailable: {
    status: 503,
    code: 'INTERNAL_ERROR',
    message: 'The service cannot take this request right now; try again.',
    retryAfterSeconds: RETRY_SECONDS,
  },
} as const satisfies Record<string, Refusal>;

export type RefusalName = keyof typeof REFUSALS;

/**
 * A service's failure for a client, by the table that gateway and services share. Its message was written for
 * clients, except for internal errors, which are never described.
 */
export function refusalOf({ code, message }: Failure): Refusal {
  if (code === 'INTERNAL_ERROR') return { ...REFUSALS['internal-error'], reason: message };
  if (code === 'UNAVAILABLE') return REFUSALS.unavailable;
  const { status, code: publicCode } = FAILURES[code];
  const refusal = { status, code: publicCode, message };
  if (code === 'RATE_LIMIT_EXCEEDED') return { ...refusal, retryAfterSeconds: LIMIT_SECONDS };
  return status === UNAUTHORIZED_STATUS ? { ...refusal, challenge: CHALLENGE } : refusal;
}

const UNAUTHORIZED_STATUS = 401;
