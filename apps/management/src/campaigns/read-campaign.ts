import type { CampaignResource, ManagementQuery } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import { findCampaign } from '../storage/campaign.store.js';
import type { Queryable } from '../storage/page.js';

export async function readCampaign(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<CampaignResource>> {
  const campaign = await findCampaign(client, query.workspace_id, query.params['campaign_id']);
  return campaign === undefined ? refusals.noCampaign() : { ok: campaign };
}
