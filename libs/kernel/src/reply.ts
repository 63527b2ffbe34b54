/**
 * A service's answer over Kafka: a value in both cases, because exceptions do not cross processes. The
 * gateway maps a failure's code to its HTTP status (interface page, section 1).
 */
export type Reply<T> = { readonly ok: T } | { readonly error: Failure };

/** Clients never see `UNAVAILABLE`: the gateway answers it as 503 `INTERNAL_ERROR` with `Retry-After`. */
export type FailureCode =
  | 'VALIDATION_ERROR'
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'RATE_LIMIT_EXCEEDED'
  | 'INTERNAL_ERROR'
  | 'UNAVAILABLE';

/** Why a service refuses a request: the code, a message for people, and the broken rules by field. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly details: FieldErrors;
}

/** Field path (`conversion.lines.0.subtotal`) to every rule that it breaks. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** An error reply. `details` is empty where no field is at fault. */
export function failure(
  code: FailureCode,
  message: string,
  details: FieldErrors = {},
): { readonly error: Failure } {
  return { error: { code, message, details } };
}
