import type { ManagementQuery, Page, SiteResource } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { pageOfSites } from '../storage/site.store.js';
import type { Queryable } from '../storage/page.js';

export function listSites(client: Queryable, query: ManagementQuery): Promise<Reply<Page<SiteResource>>> {
  return pageOfSites(client, query);
}
