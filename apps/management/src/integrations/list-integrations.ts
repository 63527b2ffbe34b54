import type { IntegrationResource, ManagementQuery, Page } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import { pageOfIntegrations } from '../storage/integration.store.js';
import type { Queryable } from '../storage/page.js';
import { sitesAskedFor } from '../storage/site.store.js';

export async function listIntegrations(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<Page<IntegrationResource>>> {
  const siteIds = await sitesAskedFor(client, query);
  return siteIds === undefined ? refusals.noSite() : pageOfIntegrations(client, query, siteIds);
}
