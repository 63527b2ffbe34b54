import type { IntegrationResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { pageOfIntegrations } from '../storage/integration.store.js';
import { sitesAskedFor } from '../storage/site.store.js';

export async function listIntegrations(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<IntegrationResource>>> {
  const siteIds = await sitesAskedFor(client, query);
  return siteIds === undefined ? refusals.noSite() : pageOfIntegrations(client, query, siteIds);
}
