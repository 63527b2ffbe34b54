import { isbot } from 'isbot';

/** A shop's visitors share few user agents; each entry is at most 1,024 characters, so this stays below 5 MB. */
const REMEMBERED_USER_AGENTS = 2048;

const known = new Map<string, boolean>();

/** Whether a user agent names a bot. Remembered, because the list of patterns takes as long as all other checks. */
export function isBotUserAgent(userAgent: string): boolean {
  const remembered = known.get(userAgent);
  if (remembered !== undefined) return remembered;
  const isBot = isbot(userAgent);
  if (known.size >= REMEMBERED_USER_AGENTS) known.clear();
  known.set(userAgent, isBot);
  return isBot;
}
