import { type CampaignResource, readCampaign } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { MAX_ACTIVE_CAMPAIGNS } from '../domain/campaign.js';
import { campaignFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { countActiveCampaigns, insertCampaign } from '../storage/campaign.store.js';
import { holdSite } from '../storage/site.store.js';

export async function createCampaign(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
): Promise<Outcome> {
  const fields = readCampaign(command.body);
  if (!fields.ok) return refusals.invalid(fields.error);
  const site = await holdSite(client, command.workspace_id, fields.value.site_id);
  if (site === undefined) return refusals.noSite();
  if (
    fields.value.status === 'active' &&
    (await countActiveCampaigns(client, site.id)) >= MAX_ACTIVE_CAMPAIGNS
  ) {
    return refusals.tooManyActiveCampaigns(MAX_ACTIVE_CAMPAIGNS);
  }
  const campaign: CampaignResource = {
    ...newResource(newId(), nowMs),
    workspace_id: command.workspace_id,
    ...fields.value,
  };
  await insertCampaign(client, campaign);
  return {
    ok: campaign,
    facts: [campaignFact(campaign)],
    audit: { action: 'create', resource: 'campaign', resourceId: campaign.id },
  };
}
