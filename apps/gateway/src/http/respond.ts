import { type FieldErrors, formatInstant, utf8Bytes } from '@truetally/kernel';
import { REFUSALS, type Refusal, type RefusalName } from './errors.js';
import { discardRest } from './read-body.js';
import { isCached } from './entity-tag.js';
import type { Exchange } from './exchange.js';
import { securityHeaders } from './security-headers.js';

const EXPOSED_HEADERS =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id, Idempotent-Replayed, ETag, Content-Disposition';
const NO_DETAILS: FieldErrors = {};
const BEFORE_DATA = '{"success":true,"data":';
/** Cache headers of an answer, and what it varies by. */
const NOT_KEPT = ['Cache-Control', 'no-store', 'Vary', 'Origin'] as const;
const SECURITY_HEADERS = securityHeaders();
/** What the headers of nearly every answer begin with. */
export const FIRST_HEADERS: readonly string[] = [...SECURITY_HEADERS, ...NOT_KEPT];
/**
 * Cached only by the page's browser, for half a minute: storefront routes (interface page, section 9). The
 * token identifies the page.
 */
const KEPT_BY_PAGE = ['Cache-Control', 'private, max-age=30', 'Vary', 'Origin, Authorization'] as const;

/**
 * A success in its envelope. `data` is JSON text, or bytes that are forwarded, so that hot routes need no
 * serialiser.
 */
export function answer(
  exchange: Exchange,
  status: number,
  data: Buffer | string,
  headers?: readonly string[],
): void {
  const body = typeof data === 'string' ? envelope(exchange, data) : envelopeAround(exchange, data);
  write(exchange, status, body, headers);
}

/** A table as a CSV file, without the envelope. */
export function answerCsv(exchange: Exchange, table: string): void {
  const headers = ['Content-Disposition', attachment(nameOfFile(exchange))];
  write(exchange, 200, table, headers, { contentType: 'text/csv; charset=utf-8' });
}

/**
 * A success that a page's browser may cache. The tag is strong and covers only `data`, because the envelope
 * differs in each answer. A client that has it gets 304 without a body, and `data` is not built.
 */
export function answerCacheable(exchange: Exchange, tag: string, data: () => string): void {
  const { request } = exchange;
  const caching = [...KEPT_BY_PAGE, 'ETag', tag];
  if (!isCached(request.headers['if-none-match'], tag)) {
    return write(exchange, 200, envelope(exchange, data()), [], { caching });
  }
  answerNotModified(exchange, caching);
}

/**
 * Begins the answer with a file of unknown length, which the caller writes and ends.
 * @returns false when nobody waits for it any more
 */
export function beginDownload(
  exchange: Exchange,
  { contentType, filename }: { readonly contentType: string; readonly filename: string },
): boolean {
  const { outgoing: response } = exchange;
  if (response.headersSent || response.destroyed) return false;
  exchange.onAnswered(exchange, 200);
  const headers = commonHeaders(exchange);
  headers.push('Content-Type', contentType, 'Content-Disposition', attachment(filename));
  response.writeHead(200, headers);
  return true;
}

/**
 * Begins an endless answer of events (`text/event-stream`), which the caller writes and ends. Its connection is closed behind
 * it, and no proxy gathers it.
 * @returns false when nobody waits for it any more
 */
export function beginStream(exchange: Exchange): boolean {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return false;
  exchange.onAnswered(exchange, 200);
  response.shouldKeepAlive = false;
  const headers = commonHeaders(exchange);
  headers.push('Content-Type', EVENT_STREAM, 'X-Accel-Buffering', 'no');
  response.writeHead(200, headers);
  return true;
}

/** The last part of a route's own path: a name without anything of a client's. */
function nameOfFile({ route, path = '' }: Exchange): string {
  return (route?.path ?? path).split('/').at(-1) ?? 'table.csv';
}

function attachment(filename: string): string {
  return `attachment; filename="${filename}"`;
}

/** A JSON document without the envelope; anybody may cache it by its tag. */
export function answerDocument(exchange: Exchange, tag: string, text: string): void {
  const caching = ['Cache-Control', 'no-cache', 'Vary', 'Origin', 'ETag', tag];
  if (isCached(exchange.request.headers['if-none-match'], tag)) return answerNotModified(exchange, caching);
  write(exchange, 200, text, [], { caching });
}

function answerNotModified(exchange: Exchange, caching: readonly string[]): void {
  const { outgoing: response } = exchange;
  if (response.headersSent || response.destroyed) return;
  exchange.onAnswered(exchange, 304);
  response.writeHead(304, commonHeaders(exchange, caching));
  response.end();
}

/** One of our refusals by name, see `REFUSALS`. */
export function refuse(
  exchange: Exchange,
  name: RefusalName,
  details?: FieldErrors,
  headers: readonly string[] = [],
): void {
  const refusal: Refusal = REFUSALS[name];
  refuseAs(exchange, refusal, details ?? refusal.details, headers);
}

export function refuseAs(
  exchange: Exchange,
  refusal: Refusal,
  details: FieldErrors = NO_DETAILS,
  headers: readonly string[] = [],
): void {
  if (exchange.request.takeBody === undefined) discardRest(exchange.incoming);
  exchange.refusedWith = refusal.code;
  exchange.failure = refusal.reason;
  const error = { code: refusal.code, message: refusal.message, details };
  const extra = [...headers];
  if (refusal.challenge !== undefined) extra.push('WWW-Authenticate', refusal.challenge);
  if (refusal.retryAfterSeconds !== undefined) extra.push('Retry-After', String(refusal.retryAfterSeconds));
  write(
    exchange,
    refusal.status,
    `{"success":false,"error":${JSON.stringify(error)},"meta":${meta(exchange)}}`,
    extra,
  );
}

/** An answer without a body: a preflight, or the allowed methods of an address. */
export function answerEmpty(exchange: Exchange, headers: readonly string[]): void {
  const { outgoing: response } = exchange;
  if (response.headersSent || response.destroyed) return;
  exchange.onAnswered(exchange, 204);
  response.writeHead(204, [...commonHeaders(exchange), ...headers]);
  response.end();
}

/**
 * Writes directly to the response with one flat header list and a known length: Express' `send` and Nest's
 * reply would cost more than the rest of the answer. A disconnected client gets nothing.
 */
function write(
  exchange: Exchange,
  status: number,
  body: Body,
  extra?: readonly string[],
  { caching = NOT_KEPT, contentType = JSON_TYPE }: Form = {},
): void {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const bytes = bytesOf(body);
  if (!exchange.outstanding.admits(exchange.request, bytes)) return shed(exchange, bytes);
  exchange.endTurn?.(bytes);
  exchange.onAnswered(exchange, status);
  const headers = commonHeaders(exchange, caching);
  headers.push('Content-Type', contentType, 'Content-Length', String(bytes));
  if (extra !== undefined && extra.length > 0) headers.push(...extra);
  response.writeHead(status, headers);
  if (typeof body === 'string') {
    // The same bytes where each character is one; for UTF-8 Node allocates three per character.
    response.end(body, bytes === body.length ? 'latin1' : 'utf8');
  } else {
    const { outgoing } = exchange;
    outgoing.cork();
    outgoing.write(body.before, 'latin1');
    outgoing.write(body.data);
    outgoing.end(body.behind, 'latin1');
  }
  exchange.outstanding.watch(exchange.request, response);
}

/** Maximum size of a refusal. */
const SHED_BYTES = 64 * 1024;

/**
 * Too much data waits for its readers. The connection is closed, so that no further request arrives on it.
 */
function shed(exchange: Exchange, bytes: number): void {
  const { response } = exchange;
  if (bytes <= SHED_BYTES) return void response.destroy();
  response.shouldKeepAlive = false;
  refuse(exchange, 'unavailable');
}

/** The media type of server-sent events, whose text is always UTF-8. */
export const EVENT_STREAM = 'text/event-stream';
const JSON_TYPE = 'application/json; charset=utf-8';

interface Form {
  readonly caching?: readonly string[];
  readonly contentType?: string;
}

/** An answer's text, or its data's bytes between ASCII texts. */
type Body = string | { readonly before: string; readonly data: Buffer; readonly behind: string };

function bytesOf(body: Body): number {
  if (typeof body === 'string') return utf8Bytes(body);
  return body.before.length + body.data.length + body.behind.length;
}

function commonHeaders(
  { requestId, origin, isOriginListed, allowance }: Exchange,
  caching: readonly string[] = NOT_KEPT,
): string[] {
  const headers = caching === NOT_KEPT ? FIRST_HEADERS.slice() : [...SECURITY_HEADERS, ...caching];
  headers.push('X-Request-Id', requestId);
  if (allowance !== undefined) {
    headers.push(
      'X-RateLimit-Limit',
      String(allowance.limit),
      'X-RateLimit-Remaining',
      String(allowance.remaining),
      'X-RateLimit-Reset',
      String(allowance.resetSeconds),
    );
  }
  if (isOriginListed && origin !== undefined) {
    headers.push(
      'Access-Control-Allow-Origin',
      origin,
      'Access-Control-Allow-Credentials',
      'true',
      'Access-Control-Expose-Headers',
      EXPOSED_HEADERS,
    );
  }
  return headers;
}

function envelope(exchange: Exchange, data: string): string {
  return BEFORE_DATA + data + behindData(exchange);
}

function envelopeAround(exchange: Exchange, data: Buffer): Body {
  return { before: BEFORE_DATA, data, behind: behindData(exchange) };
}

function behindData(exchange: Exchange): string {
  return `,"meta":${meta(exchange)}}`;
}

function meta(exchange: Exchange): string {
  return `{"timestamp":"${formatInstant(Date.now())}","request_id":"${exchange.requestId}"}`;
}
