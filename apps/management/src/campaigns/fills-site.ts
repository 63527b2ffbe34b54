import type { CampaignFields } from '@truetally/contracts/management';
import type { Failure } from '@truetally/kernel';
import type { ClientBase } from 'pg';
import { addedActiveBytes, MAX_ACTIVE_CAMPAIGNS } from '../domain/campaign.js';
import { refusals } from '../domain/refusals.js';
import { countActiveCampaigns } from '../storage/campaign.store.js';
import { exceeds } from '../storage/quota.store.js';

/**
 * Whether a changed campaign exceeds what its site may show at a time: gateways keep all of it in memory, and
 * one answer may contain all of it. A change that reduces the size, or keeps it, is never refused.
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
  if (more <= 0) return undefined;
  const exceeded = await exceeds(client, 'active_content_bytes', { workspaceId, siteId, more });
  return exceeded === undefined ? undefined : refusals.quotaExceeded(exceeded);
}
