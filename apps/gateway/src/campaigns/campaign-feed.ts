import { CAMPAIGN_RECORD } from '@truetally/contracts/facts';
import type { OnUnreadable } from '../credentials/directory-feed.js';
import type { CampaignDirectory } from './campaign-directory.js';

/** Applies a `campaigns.v1` fact. An unreadable campaign is not shown. */
export function applyCampaign(
  campaigns: CampaignDirectory,
  campaignId: string,
  value: string | null,
  onUnreadable: OnUnreadable,
  incarnation = 0,
): void {
  if (value === null) return campaigns.remove(campaignId, incarnation);
  const record = CAMPAIGN_RECORD.parse(value);
  if (!record.ok) {
    onUnreadable('campaigns.v1', campaignId, record.error);
    return campaigns.forget(campaignId);
  }
  campaigns.put(record.value, incarnation);
}
