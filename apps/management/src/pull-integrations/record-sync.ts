import type { RecordSync } from '@truetally/contracts/publisher';
import type { Queryable } from '@truetally/resource';
import { storeSync } from '../storage/pull.store.js';

/** How a pull ended, as the service that pulls tells it. An integration that is gone by now is passed over. */
export async function recordSync(client: Queryable, told: RecordSync): Promise<{ ok: object }> {
  await storeSync(client, told);
  return { ok: {} };
}
