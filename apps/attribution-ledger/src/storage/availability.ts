import { TransientError } from '@truetally/messaging';
import { isTransient, LostRaceError } from '@truetally/persistence';

/** A database that is away or busy is no fault of the message: it is given again until it can be done. */
export async function whileAvailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTransient(error) || error instanceof LostRaceError) {
      throw new TransientError('The ledger cannot be reached at the moment.', { cause: error });
    }
    throw error;
  }
}
