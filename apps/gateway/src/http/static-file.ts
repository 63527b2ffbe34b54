import type { Exchange } from './exchange.js';
import { isCached } from './entity-tag.js';
import { refuse } from './respond.js';

/** A file in one encoding. */
export interface EncodedFile {
  /** As in `Content-Encoding`; `identity` for the file as it is. */
  readonly encoding: string;
  readonly bytes: number;
  readonly read: () => Buffer | Promise<Buffer>;
}

/** A file that anybody may read. */
export interface StaticFile {
  /** Sent as a weak one: it is that of every encoding. */
  readonly tag: string;
  readonly contentType: string;
  readonly caching: string;
  /** In each encoding, the one that is preferred first; one of them is `identity`. */
  readonly encoded: readonly EncodedFile[];
}

/**
 * Any page may load the file and read it, never with credentials. A browser that opens its URL uses the declared type, and gives it no
 * permissions should it ever be a page.
 */
export const HEADERS_FOR_ANY_PAGE = [
  'Access-Control-Allow-Origin',
  '*',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Content-Security-Policy',
  "default-src 'none'; sandbox",
  'X-Content-Type-Options',
  'nosniff',
];

const OK = 200;
const NOT_MODIFIED = 304;
const IDENTITY = 'identity';

/** Answers without the envelope: the file as the client takes it, its headers alone (`HEAD`), or 304. */
export async function answerFile(
  exchange: Exchange,
  file: StaticFile,
  ownHeaders: readonly string[],
): Promise<void> {
  const { request, outgoing: response, outstanding } = exchange;
  if (response.headersSent || response.destroyed) return;
  const headers = [...ownHeaders, 'Vary', 'Accept-Encoding', 'X-Request-Id', exchange.requestId];
  headers.push('Cache-Control', file.caching, 'ETag', `W/${file.tag}`);
  if (isCached(request.headers['if-none-match'], file.tag)) {
    exchange.onAnswered(exchange, NOT_MODIFIED);
    response.writeHead(NOT_MODIFIED, headers);
    response.end();
    return;
  }
  const { encoding, bytes, read } = chosen(file, String(request.headers['accept-encoding'] ?? ''));
  if (!outstanding.admits(request, bytes)) return refuse(exchange, 'unavailable');
  const content = request.method === 'HEAD' ? undefined : await read();
  if (response.destroyed) return;
  if (encoding !== IDENTITY) headers.push('Content-Encoding', encoding);
  headers.push('Content-Type', file.contentType, 'Content-Length', String(bytes));
  exchange.onAnswered(exchange, OK);
  response.writeHead(OK, headers);
  response.end(content);
  outstanding.watch(request, response);
}

/** The first that the client names without refusing it by `q=0`. */
function chosen({ encoded }: StaticFile, accepted: string): EncodedFile {
  const names = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.replace(/\s/g, ''))
    .filter((part) => !/;q=0(\.0*)?$/.test(part))
    .map((part) => part.split(';')[0]);
  const found = encoded.find(({ encoding }) => encoding === IDENTITY || names.includes(encoding));
  if (found === undefined) throw new Error('A file has no plain content.');
  return found;
}
