import { isPoison } from '@truetally/kernel';

/**
 * Whether the same statement may succeed later without any change: the database is away, busy, full, in conflict, or does
 * not let us in at the moment. Only what the values themselves cause is not.
 */
export function isTransient(error: unknown): boolean {
  return !isPoison(error);
}
