import type { CampaignResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { type Queryable, paramOf } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findCampaign } from '../storage/campaign.store.js';

export async function readCampaign(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<CampaignResource>> {
  const campaign = await findCampaign(client, query.workspace_id, paramOf(query.params, 'campaign_id'));
  return campaign === undefined ? refusals.noCampaign() : { ok: campaign };
}
