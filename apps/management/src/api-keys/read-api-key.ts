import type { ApiKeyResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { type Queryable, paramOf } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findApiKey } from '../storage/api-key.store.js';
import { findSite } from '../storage/site.store.js';

/** Also a revoked key, for investigations of its past use. */
export async function readApiKey(client: Queryable, query: ResourceQuery): Promise<Reply<ApiKeyResource>> {
  const site = await findSite(client, query.workspace_id, paramOf(query.params, 'site_id'));
  const key = site === undefined ? undefined : await findApiKey(client, query);
  return key === undefined ? refusals.noApiKey() : { ok: key };
}
