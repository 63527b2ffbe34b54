import type { Exchange } from '../http/exchange.js';
import { answerEmpty } from '../http/respond.js';
import type { RoutesHere } from '../http/route-catalogue.js';
import { isForMembers, takesMembers } from './meant-route.js';

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Content-Encoding, X-API-Key, X-Request-Id, Traceparent, Tracestate, If-None-Match';
/** Further headers of the merchants' dashboard. */
const DASHBOARD_HEADERS = 'X-Workspace-Id, If-Match, Idempotency-Key';
/** Chromium's maximum is two hours; a site that is removed from the list loses its answers at once anyway. */
const PREFLIGHT_SECONDS = 600;

/**
 * Answers OPTIONS for an existing address. A preflight from a listed origin, or from the dashboard's on a
 * route of members, gets the allowed headers; any other origin gets none, so that the browser refuses
 * (interface page, section 2).
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
