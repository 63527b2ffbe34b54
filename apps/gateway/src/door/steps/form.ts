import type { RequestHead } from '../../http/message.js';

/**
 * Printable ASCII without `#` and `\`: proxies and this gateway would parse anything else differently
 * (RFC 9112, section 3.2 allows none of it).
 */
const TARGET = /^[\x21\x22\x24-\x5b\x5d-\x7e]+$/;
const HTTP = /^https?:\/\//i;

/**
 * Whether a request has a form that every hop parses alike: one target, one host, a body in no coding but chunks.
 * @returns the path of its target, or undefined for another form; the absolute form of proxies is rewritten to the
 * usual one
 */
export function pathOfRequest(request: RequestHead): string | undefined {
  const target = request.url ?? '';
  if (!TARGET.test(target) || !namesOneHost(request) || isCoded(request)) return undefined;
  if (!target.startsWith('/')) return HTTP.test(target) ? pathOfAbsolute(request, target) : target;
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

function pathOfAbsolute(request: RequestHead, target: string): string | undefined {
  const url = URL.parse(target);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  request.url = url.pathname + url.search;
  return url.pathname;
}

const HOST_LENGTH = 4;

/**
 * With two hosts, each hop could choose differently, and without one each could add its own (RFC 9112, section 3.2). Clients of
 * HTTP/1.0 name none.
 */
function namesOneHost({ httpVersion, rawHeaders }: RequestHead): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === HOST_LENGTH && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** `gzip, chunked` is one that Node hands on as it is, and another hop would inflate (RFC 9112, section 6.1). */
function isCoded({ headers }: RequestHead): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.toLowerCase() !== 'chunked';
}
