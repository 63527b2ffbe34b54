import type { StartParts } from './client.js';
import { decorateLinks } from './links.js';
import { showCampaigns } from './show-campaigns.js';
import { sendTouches } from './touches.js';

/** Touches first, because they decide who is in an experiment; then experiments, and only then campaigns. */
export const startOnsite: StartParts = async (tools) => {
  if (tools.sender.ended.aborted) return;
  if (tools.options.decorateLinks) decorateLinks(tools);
  await sendTouches(tools);
  if (tools.options.campaigns) await showCampaigns(tools);
};
