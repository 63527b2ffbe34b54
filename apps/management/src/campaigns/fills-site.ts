import { heldBytes } from '@truetally/contracts/facts';
import type { CampaignFields } from '@truetally/contracts/management';
import type { Failure } from '@truetally/kernel';
import type { ClientBase } from 'pg';
import { addedActiveBytes, MAX_ACTIVE_CAMPAIGNS } from '../domain/campaign.js';
import { refusals } from '../domain/refusals.js';
import { countActiveCampaigns } from '../storage/campaign.store.js';
import { type Exceeded, exceeds, exceedsGateways } from '../storage/quota.store.js';

/**
 * Whether a changed campaign exceeds what its site may show at a time, because one answer may contain all of
 * it, or what gateways may hold. A change that reduces the size, or keeps it, is never refused.
 */
export async function fillsSite(
  client: ClientBase,
  { id: siteId, workspace_id: workspaceId }: { readonly id: string; readonly workspace_id: string },
  before: CampaignFields | undefined,
  after: CampaignFields,
): Promise<{ readonly error: Failure } | undefined> {
  const becomesActive = after.status === 'active' && before?.status !== 'active';
  if (becomesActive && (await countActiveCampaigns(client, siteId)) >= MAX_ACTIVE_CAMPAIGNS) {
    return refusals.tooManyActiveCampaigns(MAX_ACTIVE_CAMPAIGNS);
  }
  const more = addedActiveBytes(before, after);
  const exceeded =
    (more > 0 ? await exceeds(client, 'active_content_bytes', { workspaceId, siteId, more }) : undefined) ??
    (await fillsGateways(client, workspaceId, before, after));
  return exceeded === undefined ? undefined : refusals.quotaExceeded(exceeded);
}

/** Targeting and names count as well, and so does what an inactive campaign leaves. */
function fillsGateways(
  client: ClientBase,
  workspaceId: string,
  before: CampaignFields | undefined,
  after: CampaignFields,
): Promise<Exceeded | undefined> | undefined {
  const more = heldBytes(after) - (before === undefined ? 0 : heldBytes(before));
  return more > 0 ? exceedsGateways(client, workspaceId, more) : undefined;
}
