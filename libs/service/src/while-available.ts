import { TransientError } from '@truetally/messaging';
import { isTransient } from '@truetally/persistence';

/**
 * Runs what needs Postgres for a message's handler.
 * @throws TransientError where Postgres is away or in conflict: the message waits and is tried again
 */
export async function whileAvailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTransient(error)) throw new TransientError('Postgres is away.', { cause: error });
    throw error;
  }
}
