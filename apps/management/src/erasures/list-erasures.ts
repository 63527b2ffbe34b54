import type { ErasureResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { pageOfErasures } from '../storage/erasure.store.js';
import { sitesAskedFor } from '../storage/site.store.js';

/** Proofs of erasures, newest first; of one person by the keyed hash of their id. */
export async function listErasures(client: Queryable, query: ResourceQuery): Promise<Reply<object>> {
  const siteIds = await sitesAskedFor(client, query);
  if (siteIds === undefined) return refusals.noSite();
  const page = await pageOfErasures(client, query, siteIds);
  if ('error' in page) return page;
  const { items, next_cursor } = page.ok;
  return { ok: { items: items.map(proofOf), next_cursor } };
}

function proofOf({ id, site_id, requested_at, requested_by, finished_at, services }: ErasureResource) {
  return { id, site_id, requested_at, requested_by, finished_at, services };
}
