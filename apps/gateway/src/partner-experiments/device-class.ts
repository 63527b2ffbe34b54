import type { DeviceClass } from '@truetally/contracts/experiments';

/** Tablets of Android name themselves without `Mobile`, which phones all have (MDN, "Browser detection using the user agent"). */
const TABLET = /ipad|tablet|kindle|silk\/|android(?!.*mobi)/i;
const MOBILE = /mobi|iphone|ipod|android/i;
const DESKTOP = /windows nt|macintosh|x11|cros/i;

/** The class of device that a user agent names: by it a mismatch of the sample can be explained. */
export function deviceClassOf(userAgent: string): DeviceClass {
  if (TABLET.test(userAgent)) return 'tablet';
  if (MOBILE.test(userAgent)) return 'mobile';
  return DESKTOP.test(userAgent) ? 'desktop' : 'unknown';
}

/**
 * Libraries that shop servers, native apps and tools send requests with: a session that they ask for is a shopper's, and
 * only a bot's own name makes it a bot's.
 */
export const HTTP_LIBRARY =
  /^(?:node|undici|axios|got|curl|wget|python|aiohttp|httpx|go-http-client|java|apache-httpclient|okhttp|dart|bun|deno|ruby|guzzlehttp|php|insomnia|postmanruntime|k6|autocannon)\b/i;
