import type { Exchange } from '../http/exchange.js';
import { answerEmpty } from '../http/respond.js';
import type { RoutesHere } from '../http/route-catalogue.js';
import { isForMembers, takesMembers } from './meant-route.js';

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
export function answerOptions(exchange: Exchange, routesHere: RoutesHere): void {
  const { request, isOriginListed } = exchange;
  const isPreflight = request.headers['access-control-request-method'] !== undefined;
  if (!isPreflight || !isOriginListed) {
    return answerEmpty(exchange, ['Allow', [...routesHere.keys()].join(', ')]);
  }
  const isOfMembers = isForMembers(request, routesHere);
  const methods = [...routesHere.values()]
    .filter((route) => takesMembers(route) === isOfMembers)
    .map(({ method }) => method);
  answerEmpty(exchange, [
    'Access-Control-Allow-Methods',
    methods.join(', '),
    'Access-Control-Allow-Headers',
    isOfMembers ? `${ALLOWED_HEADERS}, ${DASHBOARD_HEADERS}` : ALLOWED_HEADERS,
    'Access-Control-Max-Age',
    String(PREFLIGHT_SECONDS),
  ]);
}
