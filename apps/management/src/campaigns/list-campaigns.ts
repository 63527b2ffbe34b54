import type { CampaignResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { pageOfCampaigns } from '../storage/campaign.store.js';
import { sitesAskedFor } from '../storage/site.store.js';

/** Of the whole workspace, or of one of its sites; another workspace's site counts as unknown. */
export async function listCampaigns(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<CampaignResource>>> {
  const siteIds = await sitesAskedFor(client, query);
  return siteIds === undefined ? refusals.noSite() : pageOfCampaigns(client, query, siteIds);
}
