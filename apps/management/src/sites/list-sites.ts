import type { SiteResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { pageOfSites } from '../storage/site.store.js';

export function listSites(client: Queryable, query: ResourceQuery): Promise<Reply<Page<SiteResource>>> {
  return pageOfSites(client, query);
}
