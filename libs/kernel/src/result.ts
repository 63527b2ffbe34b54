/** Outcome of something that a client can cause: a value, never an exception. An exception is a bug. */
export type Result<T, E> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** A successful result with its value. */
export const succeed = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });
/** A failed result with its error. */
export const fail = <E>(error: E): { readonly ok: false; readonly error: E } => ({ ok: false, error });

/** Ends a `switch` over a literal union: a new member that is not handled fails to compile. */
export function unreachable(value: never): never {
  throw new Error(`Unhandled case: ${String(value)}`);
}
