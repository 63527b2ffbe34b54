import { chooseCampaigns } from './campaigns.js';
import type { Tools } from './client.js';
import { startOverlays } from './overlays.js';
import { showChatbot } from './show-chatbot.js';
import { showRecommendations } from './show-recommendations.js';

/** Shows what this session may be shown. */
export async function showCampaigns(tools: Tools): Promise<void> {
  const { client, options, sender } = tools;
  const { ended } = sender;
  // Its places and its body may not be parsed yet: answers out of the browser's cache come at once.
  if (document.readyState === 'loading')
    await new Promise((parsed) => addEventListener('DOMContentLoaded', parsed));
  const stage = { track: client.track, labels: options.labels };
  const [overlays, chatbots, recommendations] = await chooseCampaigns(tools);
  if (ended.aborted) return;
  startOverlays(tools, stage, overlays);
  const [chatbot] = chatbots;
  const removals = recommendations.map((one) => showRecommendations(stage, one, one.place));
  if (chatbot) removals.push(showChatbot(stage, chatbot));
  for (const remove of removals) ended.addEventListener('abort', remove);
}
