import type { ErasureResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { paramOf, type Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findErasure } from '../storage/erasure.store.js';

export async function readErasure(client: Queryable, query: ResourceQuery): Promise<Reply<ErasureResource>> {
  const erasure = await findErasure(client, query.workspace_id, paramOf(query.params, 'id'));
  return erasure === undefined ? refusals.noErasure() : { ok: erasure };
}
