import type { CampaignResource, ManagementQuery, Page } from '@truetally/contracts';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import { pageOfCampaigns } from '../storage/campaign.store.js';
import type { Queryable } from '../storage/page.js';
import { findSite } from '../storage/site.store.js';

/** Of the whole workspace, or of one of its sites; another workspace's site is none. */
export async function listCampaigns(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<Page<CampaignResource>>> {
  const siteId = query.filters['site_id'];
  if (siteId !== undefined && (await findSite(client, query.workspace_id, siteId)) === undefined) {
    return refusals.noSite();
  }
  return pageOfCampaigns(client, query);
}
