import { TOPICS } from '@truetally/contracts/topics';
import { appendToOutbox, inTransaction } from '@truetally/persistence';
import type { ForgetSome } from '@truetally/resource';
import { tombstone } from '../jobs/erasures.js';
import { takeEndedApiKeys } from '../storage/api-key.store.js';

/** Every gateway holds every key that it is told of: those that ended a day ago leave it. */
export const forgetEndedKeys: ForgetSome = (pool) =>
  inTransaction(pool, async (client) => {
    const ids = await takeEndedApiKeys(client);
    await appendToOutbox(
      client,
      ids.map((id) => tombstone(TOPICS.credentials.name, id)),
    );
    return ids.length > 0;
  });
