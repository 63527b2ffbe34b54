import { patchedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { isStale, type CommandContext, type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { patchCampaign } from '../domain/campaign.js';
import { campaignFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { lockCampaign, storeCampaign } from '../storage/campaign.store.js';
import { fillsSite } from './fills-site.js';

/** Any status may follow any other: archiving can be undone. */
export async function updateCampaign(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, params, version, body } = command;
  const campaign = await lockCampaign(client, workspaceId, paramOf(params, 'campaign_id'));
  if (campaign === undefined) return refusals.noCampaign();
  if (isStale(version, campaign.version)) return refusals.staleVersion(campaign.version);
  const fields = patchCampaign(campaign, body);
  if (!fields.ok) return refusals.invalid(fields.error);
  const site = { id: campaign.site_id, workspace_id: workspaceId };
  const overfull = await fillsSite(client, site, campaign, fields.value);
  if (overfull !== undefined) return overfull;
  const changed = patchedResource(campaign, fields.value, nowMs);
  const isSame = changed === campaign;
  if (!isSame) await storeCampaign(client, changed);
  return {
    ok: changed,
    facts: isSame ? [] : [campaignFact(changed)],
    audit: { action: 'update', resource: 'campaign', resourceId: campaign.id },
  };
}
