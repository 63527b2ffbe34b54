import type { FieldErrors } from '@truetally/kernel';
import { REFUSALS, type Refusal, type RefusalName } from './errors.js';
import type { Exchange } from './exchange.js';
import { discardRest } from './discard-rest.js';
import { securityHeaders } from './security-headers.js';

const SECURITY_HEADERS = securityHeaders();
const EXPOSED_HEADERS =
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id, Idempotent-Replayed, ETag';
const NO_DETAILS: FieldErrors = {};

/** A success in its envelope; `data` is JSON text, so that hot routes build it without a serialiser. */
export function answer(exchange: Exchange, status: number, data: string, headers?: readonly string[]): void {
  write(exchange, status, `{"success":true,"data":${data},"meta":${meta(exchange)}}`, headers);
}

/** A refusal of ours by its name, see `REFUSALS`. */
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
  discardRest(exchange.request);
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

/** An answer without a body: a preflight, or the methods that an address takes. */
export function answerEmpty(exchange: Exchange, headers: readonly string[]): void {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  exchange.onAnswered(exchange, 204);
  response.writeHead(204, [...commonHeaders(exchange), ...headers]);
  response.end();
}

/**
 * Straight to the response with one flat list of headers and a known length: Express's `send` and Nest's
 * reply would cost more than the rest of the answer. A client that is gone gets nothing.
 */
function write(exchange: Exchange, status: number, body: string, extra?: readonly string[]): void {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  exchange.onAnswered(exchange, status);
  const headers = commonHeaders(exchange);
  headers.push(
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(Buffer.byteLength(body)),
  );
  if (extra !== undefined && extra.length > 0) headers.push(...extra);
  response.writeHead(status, headers);
  response.end(body);
}

function commonHeaders({ requestId, origin, isOriginListed, allowance }: Exchange): string[] {
  const headers = SECURITY_HEADERS.slice();
  headers.push('X-Request-Id', requestId, 'Cache-Control', 'no-store', 'Vary', 'Origin');
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

function meta(exchange: Exchange): string {
  return `{"timestamp":"${new Date().toISOString()}","request_id":"${exchange.requestId}"}`;
}
