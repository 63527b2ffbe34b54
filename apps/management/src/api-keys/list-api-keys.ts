import type { ApiKeyResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { type Queryable, paramOf } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { pageOfApiKeys } from '../storage/api-key.store.js';
import { findSite } from '../storage/site.store.js';

export async function listApiKeys(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<ApiKeyResource>>> {
  const site = await findSite(client, query.workspace_id, paramOf(query.params, 'site_id'));
  return site === undefined ? refusals.noSite() : pageOfApiKeys(client, query);
}
