import type { CampaignResource, ManagementQuery, Page } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import { pageOfCampaigns } from '../storage/campaign.store.js';
import type { Queryable } from '../storage/page.js';
import { sitesAskedFor } from '../storage/site.store.js';

/** Of the whole workspace, or of one of its sites; another workspace's site is none. */
export async function listCampaigns(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<Page<CampaignResource>>> {
  const siteIds = await sitesAskedFor(client, query);
  return siteIds === undefined ? refusals.noSite() : pageOfCampaigns(client, query, siteIds);
}
