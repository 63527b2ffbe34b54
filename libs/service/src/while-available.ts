import { TransientError, UnreadableError } from '@truetally/messaging';
import { isTransient, LostRaceError } from '@truetally/persistence';

/**
 * Runs what a message's handler needs Postgres for: a database that is away or busy, or a race that was lost too often,
 * is no fault of the message.
 * @throws TransientError then: the message waits, and is given again until it can be done; what says that the message
 * itself cannot be read goes through, or it would wait for ever
 */
export async function whileAvailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableError) throw error;
    if (isTransient(error) || error instanceof LostRaceError) {
      throw new TransientError('Postgres cannot be used at the moment.', { cause: error });
    }
    throw error;
  }
}
