import { CampaignDirectory } from '../campaigns/campaign-directory.js';
import type { GatewayFoundation } from './gateway-foundation.js';

/** A topic with too much has many such campaigns: the first of them tells enough, and the metric the rest. */
const LEFT_OUT_PER_LOG_LINE = 1_000;

/** The directory of campaigns, whose memory operators can watch. */
export function openCampaigns({ log, metrics }: GatewayFoundation): CampaignDirectory {
  let told = 0;
  const directory = new CampaignDirectory((campaignId) => {
    if (told++ % LEFT_OUT_PER_LOG_LINE !== 0) return;
    const { bytes, leftOut } = directory.memory;
    log.error(
      { campaign_id: campaignId, bytes, left_out: leftOut },
      'Active campaigns exceed their memory; some are not shown.',
    );
  });
  const read = () => directory.memory;
  metrics.observed('campaign_memory_bytes', 'Bytes that campaigns occupy in memory.', () => read().bytes);
  metrics.observed(
    'campaigns_left_out',
    'Active campaigns that are not shown, because there is no memory for them.',
    () => read().leftOut,
  );
  return directory;
}
