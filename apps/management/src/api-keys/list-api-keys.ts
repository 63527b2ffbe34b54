import type { ApiKeyResource, ManagementQuery, Page } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import { pageOfApiKeys } from '../storage/api-key.store.js';
import type { Queryable } from '../storage/page.js';
import { findSite } from '../storage/site.store.js';

export async function listApiKeys(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<Page<ApiKeyResource>>> {
  const site = await findSite(client, query.workspace_id, query.params['site_id']);
  return site === undefined ? refusals.noSite() : pageOfApiKeys(client, query);
}
