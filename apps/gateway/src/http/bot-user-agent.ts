import { createIsbotFromList, isbotPatterns, list } from 'isbot';

/**
 * User agents that are neither browsers nor bots: native apps and shop servers send events too, with short
 * names. isbot was made for web pages and counts such shapes as bots; every pattern of its list that matches
 * one of these is left out.
 */
const NOT_BOTS = [
  'Mozilla/5.0',
  'Mozilla/5.0 Shop',
  'Mozilla/5.0 (Shop)',
  'Shop',
  'Shop App',
  'Shop/3',
  'Shop/3.2',
  'Shop/3.2.1',
  'Shop-App/3.2.1 (iPhone)',
  'Shop/3.2 (Android)',
  'Shop App 3.2',
  'ShopServer/3.2',
  'Shop-Agent/3.2',
  // `navigator.userAgent` of a shop server that runs JavaScript.
  'Node.js/24',
];

/** The default of Android apps; to isbot it is an HTTP library. */
const NATIVE_APP = /^okhttp\//i;

const TOO_WIDE: ReadonlySet<string> = new Set(NOT_BOTS.flatMap((userAgent) => isbotPatterns(userAgent)));
const isBotByName = createIsbotFromList(list.filter((pattern) => !TOO_WIDE.has(pattern)));

/** A shop's visitors share few user agents; each entry is at most 1,024 characters, so this stays below 5 MB. */
const REMEMBERED_USER_AGENTS = 2048;

const remembered = new Map<string, boolean>();

/** Whether a user agent names a bot. Cached, because the pattern list takes as long as all other checks. */
export function isBotUserAgent(userAgent: string): boolean {
  const known = remembered.get(userAgent);
  if (known !== undefined) return known;
  const isBot = isBotByName(userAgent) && !NATIVE_APP.test(userAgent);
  if (remembered.size >= REMEMBERED_USER_AGENTS) remembered.clear();
  remembered.set(userAgent, isBot);
  return isBot;
}
