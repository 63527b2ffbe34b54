import { type CampaignResource, readCampaign } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { campaignFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { insertCampaign } from '../storage/campaign.store.js';
import { exceeds } from '../storage/quota.store.js';
import { holdSite } from '../storage/site.store.js';
import { fillsSite } from './fills-site.js';

export async function createCampaign(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
): Promise<Outcome> {
  const fields = readCampaign(command.body);
  if (!fields.ok) return refusals.invalid(fields.error);
  const site = await holdSite(client, command.workspace_id, fields.value.site_id);
  if (site === undefined) return refusals.noSite();
  const exceeded = await exceeds(client, 'campaigns', { workspaceId: command.workspace_id });
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const overfull = await fillsSite(client, site, undefined, fields.value);
  if (overfull !== undefined) return overfull;
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
