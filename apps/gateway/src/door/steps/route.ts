import type { Exchange, Route, RoutesHere } from '../../http/exchange.js';
import { answerEmpty } from '../../http/respond.js';
import type { AdmissionParts, Outcome } from './step.js';
import type { RequestHead } from '../../http/message.js';

const ADMIN_PATH = '/api/admin';
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Content-Encoding, X-Request-Id, Traceparent, Tracestate, If-None-Match';
const SHOP_HEADERS = 'X-API-Key';
/** A merchant's page has no business with a key (interface page, section 2). */
const DASHBOARD_HEADERS = 'X-Workspace-Id, If-Match, Idempotency-Key, Last-Event-ID';
/** Chromium's maximum is two hours; a site that is removed from the list loses its answers at once anyway. */
const PREFLIGHT_SECONDS = 600;

/**
 * Which route is meant, and whether the page that sent the request may read its answer. 403 for a browser on the
 * platform's own routes, 404 for an unknown path, 405 for another method; OPTIONS is answered for every existing
 * address.
 */
export function findRoute(exchange: Exchange, parts: AdmissionParts): Outcome {
  const { request, origin, path } = exchange;
  if (path === undefined) return { name: 'malformed-request' };
  const here = parts.routes.at(path);
  const isAdmin = path === ADMIN_PATH || path.startsWith(`${ADMIN_PATH}/`);
  const route = meantRoute(request, here);
  // No page may read answers below the admin path, not even a refusal; and no shop's page those of its merchant.
  if (origin !== undefined) exchange.isOriginListed = !isAdmin && isListed(origin, route, here, parts);
  if (origin !== undefined && isAdmin) return { name: 'browser-refused' };
  if (here === undefined || !isOnThisPort(request, isAdmin, parts)) return { name: 'not-found' };
  if (request.method === 'OPTIONS') {
    answerOptions(exchange, route, here);
    return 'answered';
  }
  if (route === undefined) {
    return { name: 'method-not-allowed', headers: ['Allow', [...here.methods.keys()].join(', ')] };
  }
  exchange.route = route;
  if (here.params === undefined) return { name: 'malformed-request' };
  exchange.params = here.params;
  return undefined;
}

function isOnThisPort({ socket }: RequestHead, isAdmin: boolean, { adminPort }: AdmissionParts): boolean {
  return adminPort === undefined || isAdmin === (socket.localPort === adminPort);
}

/** The route of a request; of a preflight, the route that it announces. */
function meantRoute({ method = '', headers }: RequestHead, here: RoutesHere | undefined): Route | undefined {
  const meant = method === 'OPTIONS' ? String(headers['access-control-request-method']) : method;
  return here?.methods.get(meant) ?? (meant === 'HEAD' ? here?.methods.get('GET') : undefined);
}

function isListed(
  origin: string,
  route: Route | undefined,
  here: RoutesHere | undefined,
  { dashboardOrigins, isOriginListed }: AdmissionParts,
): boolean {
  return isForMembers(route, here) ? dashboardOrigins.has(origin) : isOriginListed(origin);
}

/**
 * Whether an answer is only for the dashboard's pages. Where a request matches no route, one route of members
 * at the address is enough: a shop's page learns nothing about it (interface page, section 2).
 */
function isForMembers(route: Route | undefined, here: RoutesHere | undefined): boolean {
  if (route !== undefined) return takesMembers(route);
  return here !== undefined && [...here.methods.values()].some(takesMembers);
}

function takesMembers({ demand }: Route): boolean {
  return demand?.bearer === 'id-token';
}

/**
 * Answers OPTIONS for an existing address. A preflight from a listed origin, or from the dashboard's on a
 * route of members, gets the allowed headers; any other origin gets none, so that the browser refuses
 * (interface page, section 2).
 */
function answerOptions(exchange: Exchange, route: Route | undefined, here: RoutesHere): void {
  const { request, isOriginListed } = exchange;
  const isPreflight = request.headers['access-control-request-method'] !== undefined;
  if (!isPreflight || !isOriginListed) {
    return answerEmpty(exchange, ['Allow', [...here.methods.keys()].join(', ')]);
  }
  const isOfMembers = isForMembers(route, here);
  const methods = [...here.methods.values()]
    .filter((one) => takesMembers(one) === isOfMembers)
    .map(({ method }) => method);
  answerEmpty(exchange, [
    'Access-Control-Allow-Methods',
    methods.join(', '),
    'Access-Control-Allow-Headers',
    `${ALLOWED_HEADERS}, ${isOfMembers ? DASHBOARD_HEADERS : SHOP_HEADERS}`,
    'Access-Control-Max-Age',
    String(PREFLIGHT_SECONDS),
  ]);
}
