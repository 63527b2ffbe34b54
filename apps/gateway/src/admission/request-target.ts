import type { IncomingMessage } from 'node:http';

/**
 * Printable ASCII without `#` and `\`: what else a target may hold, Express, a proxy and we would not read alike
 * (RFC 9112, section 3.2 allows none of it).
 */
const TARGET = /^[\x21\x22\x24-\x5b\x5d-\x7e]+$/;
const HTTP = /^https?:\/\//i;

/**
 * The path of a request's target, also of its absolute form, which proxies send and which is brought into the usual one
 * for Express. Undefined for a target that is none.
 */
export function pathOfTarget(request: IncomingMessage): string | undefined {
  const target = request.url ?? '';
  if (!TARGET.test(target)) return undefined;
  if (!target.startsWith('/')) return HTTP.test(target) ? pathOfAbsolute(request, target) : target;
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

/** Express reads the escapes of an id, and refuses a path in which it cannot. */
export function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function pathOfAbsolute(request: IncomingMessage, target: string): string | undefined {
  const url = URL.parse(target);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  request.url = url.pathname + url.search;
  return url.pathname;
}

const HOST_LENGTH = 4;

/** Which of two would count, every hop could decide in its own way (RFC 9112, section 3.2). */
export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === HOST_LENGTH && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}
