import type { StartParts, Tools } from './client.js';
import { decorateLinks } from './links.js';
import type { showCampaigns } from './show-campaigns.js';
import { sendTouches } from './touches.js';

/** Touches first, because they decide who is in an experiment; then experiments, and only then campaigns. */
export function startOnsite(
  tools: Tools,
  loadCampaigns: () => Promise<typeof showCampaigns>,
): ReturnType<StartParts> {
  const { options, client, platform, report } = tools;
  let isEnded = false;
  const ends: (() => void)[] = [];
  const keep = (end: () => void): void => {
    if (isEnded) end();
    else ends.push(end);
  };
  const show = async (): Promise<void> => {
    const loading = options.campaigns === true ? loadCampaigns() : undefined;
    // It is awaited after the touches, and must not count as unhandled until then.
    loading?.catch(() => undefined);
    await sendTouches(tools, () => isEnded);
    const run = await loading;
    if (!isEnded) await run?.(tools, keep);
  };
  if (options.decorateLinks === true) keep(decorateLinks(client, platform.newId));
  show().catch(() => report({ code: 'CHUNK_NOT_LOADED', message: 'Campaigns are left out.' }));
  return () => {
    isEnded = true;
    for (const end of ends) end();
  };
}
