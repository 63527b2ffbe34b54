import { type RecordKeyUse } from '@truetally/contracts/management';
import type { Queryable } from '@truetally/resource';
import { storeKeyUses } from '../storage/api-key.store.js';

/** What gateways saw of the use of keys. A key that is gone by now is passed over. */
export async function recordKeyUse(client: Queryable, { uses }: RecordKeyUse): Promise<{ ok: object }> {
  if (uses.length > 0) await storeKeyUses(client, uses);
  return { ok: {} };
}
