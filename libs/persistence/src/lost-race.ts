import { isNativeError } from 'node:util/types';

/** Each attempt sees what won the race before; more in a row than this is no race any more. */
const MAX_ATTEMPTS = 5;
const UNIQUE_VIOLATION = '23505';

/**
 * The database's part of `acceptance`: what is known is read, decided on and inserted in one transaction, and a unique
 * index is the authority. Whoever loses a race to it has rolled back, and decides again from what is known then.
 * @param attempt one transaction, from the first read to the commit
 * @param onLost is told of each lost race
 * @throws LostRaceError after too many of them; anything else as it was thrown
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

/** To be tried again later, like a database that is away. */
export class LostRaceError extends Error {
  override readonly name = 'LostRaceError';

  constructor() {
    super(`Another transaction was first ${MAX_ATTEMPTS} times in a row.`);
  }
}

/** Whether a statement failed because another row has what must be there once. */
export function isUniqueViolation(error: unknown): boolean {
  return isNativeError(error) && 'code' in error && error.code === UNIQUE_VIOLATION;
}
