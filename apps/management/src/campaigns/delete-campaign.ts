import type { ResourceCommand } from '@truetally/contracts/resource';
import { TOPICS } from '@truetally/contracts/topics';
import { isStale, type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { tombstone } from '../jobs/erasures.js';
import { lockCampaign, removeCampaign } from '../storage/campaign.store.js';

export async function deleteCampaign(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const { workspace_id: workspaceId, params, version } = command;
  const campaign = await lockCampaign(client, workspaceId, paramOf(params, 'campaign_id'));
  if (campaign === undefined) return refusals.noCampaign();
  if (isStale(version, campaign.version)) return refusals.staleVersion(campaign.version);
  await removeCampaign(client, campaign.id);
  return {
    ok: { id: campaign.id, deleted: true },
    facts: [tombstone(TOPICS.campaigns.name, campaign.id)],
    audit: { action: 'delete', resource: 'campaign', resourceId: campaign.id },
  };
}
