import { TransientError, UnreadableError } from '@truetally/messaging';
import { isTransient, LostRaceError } from '@truetally/persistence';

/**
 * Runs the database work of a message's handler. An unavailable or busy database, or a race that was lost too
 * often, is not the message's fault.
 * @throws TransientError then: the message waits and is retried. Errors that mark the message itself as
 * unreadable pass through; otherwise it would wait for ever
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
