import { chooseCampaigns } from './campaigns.js';
import { startChatbot } from './chatbot.js';
import type { Tools } from './client.js';
import { startOverlays } from './overlays.js';

/**
 * Shows what this session may be shown.
 * @param keep is given what takes each away again
 */
export async function showCampaigns(tools: Tools, keep: (end: () => void) => void): Promise<void> {
  const { overlays, chatbots } = await chooseCampaigns(tools);
  keep(startOverlays(tools, overlays));
  const [chatbot] = chatbots;
  if (chatbot) keep(startChatbot(tools, chatbot));
}
