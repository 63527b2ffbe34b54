import { isPoison } from '@truetally/kernel';

/**
 * Whether the same statement may succeed later without any change: the database is unavailable, busy, full,
 * in conflict, or refuses the login at the moment. Only errors that the values themselves cause are
 * permanent.
 */
export function isTransient(error: unknown): boolean {
  return !isPoison(error);
}
