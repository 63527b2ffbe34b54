import type { RecordSync } from '@truetally/contracts/publisher';
import type { Queryable } from '@truetally/resource';
import { storeSync } from '../storage/pull.store.js';

/** Records the outcome of a pull. A deleted integration is skipped. */
export async function recordSync(client: Queryable, told: RecordSync): Promise<{ ok: object }> {
  await storeSync(client, told);
  return { ok: {} };
}
