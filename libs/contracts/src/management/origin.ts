export const ORIGIN_FORM =
  'an exact origin such as https://shop.example: http or https, no path, no wildcard';
export const DOMAIN_FORM = 'a host name without scheme, port or path';

/** 253 for the host, 8 for `https://`, 6 for the port. */
const MAX_ORIGIN_LENGTH = 267;
const MAX_HOST_LENGTH = 253;
/** Only scheme, host and port. The URL parser alone would silently drop spaces, paths and credentials. */
const ORIGIN_PATTERN = /^https?:\/\/[^\s/\\?#@*%]+$/i;
const HOST_PATTERN = /^[^\s/\\?#@*%:]+$/;

/**
 * The canonical origin, as browsers send it in their `Origin` header: scheme and host in lower case, the host
 * in punycode, without a default port. Undefined for anything else (a path, a wildcard, another scheme),
 * because no browser's header could equal it.
 */
export function normaliseOrigin(text: string): string | undefined {
  if (text.length > MAX_ORIGIN_LENGTH || !ORIGIN_PATTERN.test(text) || !URL.canParse(text)) return undefined;
  const { origin, hostname } = new URL(text);
  return isHostName(hostname) || hostname.startsWith('[') ? origin : undefined;
}

/** A host name in lower case and punycode; undefined for an address with scheme, port or path. */
export function normaliseDomain(text: string): string | undefined {
  if (text.length > MAX_HOST_LENGTH || !HOST_PATTERN.test(text)) return undefined;
  const url = `https://${text}`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  return isHostName(hostname) ? hostname : undefined;
}

/** Labels separated by dots; a trailing dot is allowed. */
const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/;

function isHostName(hostname: string): boolean {
  return hostname.length <= MAX_HOST_LENGTH && HOST_NAME.test(hostname);
}
