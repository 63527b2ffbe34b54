import { type RecordKeyUse } from '@truetally/contracts/management';
import type { Queryable } from '@truetally/resource';
import { storeKeyUses } from '../storage/api-key.store.js';

/** Records the uses of keys that gateways report. Deleted keys are skipped. */
export async function recordKeyUse(client: Queryable, { uses }: RecordKeyUse): Promise<{ ok: object }> {
  if (uses.length > 0) await storeKeyUses(client, uses);
  return { ok: {} };
}
