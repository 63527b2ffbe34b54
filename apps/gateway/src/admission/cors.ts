import { answerEmpty } from '../http/respond.js';
import type { Exchange } from '../http/exchange.js';

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Content-Encoding, X-API-Key, X-Request-Id, Traceparent, Tracestate, If-None-Match';
/** What the merchants' dashboard sends besides. */
const DASHBOARD_HEADERS = 'X-Workspace-Id, If-Match, Idempotency-Key';
/** Chromium caps it at two hours; a site that is taken off the list loses its answers at once in any case. */
const PREFLIGHT_SECONDS = 600;

/**
 * Answers OPTIONS for an address that exists. A preflight from an origin that a site lists, or on a route of members
 * from the dashboard's, learns what it may send; from any other origin it learns nothing, and the browser refuses for
 * us (interface page, section 2).
 */
export function answerOptions(exchange: Exchange, methods: Iterable<string>, takesMembers: boolean): void {
  const allowed = [...methods].join(', ');
  const isPreflight = exchange.request.headers['access-control-request-method'] !== undefined;
  if (!isPreflight || !exchange.isOriginListed) return answerEmpty(exchange, ['Allow', allowed]);
  answerEmpty(exchange, [
    'Access-Control-Allow-Methods',
    allowed,
    'Access-Control-Allow-Headers',
    takesMembers ? `${ALLOWED_HEADERS}, ${DASHBOARD_HEADERS}` : ALLOWED_HEADERS,
    'Access-Control-Max-Age',
    String(PREFLIGHT_SECONDS),
  ]);
}
