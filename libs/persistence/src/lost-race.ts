import { hasSqlState } from './sql-state.js';

/** Each attempt sees the winner's changes; more losses in a row are not a race. */
const MAX_ATTEMPTS = 5;
const UNIQUE_VIOLATION = '23505';

/**
 * The database part of `acceptance`: known state is read, decided on and inserted in one transaction, and a
 * unique index is the authority. The loser of a race rolls back and decides again on the new state.
 * @param attempt one transaction, from the first read to the commit
 * @param onLost called for each lost race
 * @throws LostRaceError after too many of them; other errors unchanged
 */
export async function decideUntilWon<T>(attempt: () => Promise<T>, onLost: () => void): Promise<T> {
  for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      onLost();
    }
  }
  throw new LostRaceError();
}

/** Retry later, as when the database is unavailable. */
export class LostRaceError extends Error {
  override readonly name = 'LostRaceError';

  constructor() {
    super(`Another transaction was first ${MAX_ATTEMPTS} times in a row.`);
  }
}

/** Whether a statement failed because another row already has the unique value. */
export function isUniqueViolation(error: unknown): boolean {
  return hasSqlState(error, UNIQUE_VIOLATION);
}
