import type { DeviceClass } from '@truetally/contracts/experiments';

/** Android tablets lack `Mobile`, which all phones have (MDN, "Browser detection using the user agent"). */
const TABLET = /ipad|tablet|kindle|silk\/|android(?!.*mobi)/i;
const MOBILE = /mobi|iphone|ipod|android/i;
const DESKTOP = /windows nt|macintosh|x11|cros/i;

/** The device class of a user agent: it helps to explain a sample ratio mismatch. */
export function deviceClassOf(userAgent: string): DeviceClass {
  if (TABLET.test(userAgent)) return 'tablet';
  if (MOBILE.test(userAgent)) return 'mobile';
  return DESKTOP.test(userAgent) ? 'desktop' : 'unknown';
}

/**
 * HTTP libraries of shop servers, native apps and tools: a session behind them is a shopper's, and only a
 * bot's own name makes it a bot.
 */
export const HTTP_LIBRARY =
  /^(?:node|undici|axios|got|curl|wget|python|aiohttp|httpx|go-http-client|java|apache-httpclient|okhttp|dart|bun|deno|ruby|guzzlehttp|php|insomnia|postmanruntime|k6|autocannon)\b/i;
