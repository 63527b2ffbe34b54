import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FieldErrors } from '@truetally/kernel';
import { CREDENTIAL_DEMANDS } from '../credentials/credential-demand.js';
import type { Gatekeeper } from './gatekeeper.js';
import type { HourlyLimiter } from '../limits/hourly-limiter.js';
import { answerOptions } from './cors.js';
import type { RefusalName } from '../http/errors.js';
import { type EdgeResponse, Exchange } from '../http/exchange.js';
import { requestIdFrom } from '../http/request-id.js';
import { refuse } from '../http/respond.js';
import type { Route, RouteCatalogue } from '../http/route-catalogue.js';
import { isCallerRule } from '../http/route-rules.js';

const ADMIN_PATH = '/api/admin';

/** The methods of one address, each with its route. */
type Methods = ReadonlyMap<string, Route>;

export interface EdgeParts {
  readonly routes: RouteCatalogue;
  readonly gatekeeper: Gatekeeper;
  readonly limiter: HourlyLimiter;
  /** Whether a page at this origin may read what storefront routes answer. */
  readonly isOriginListed: (origin: string) => boolean;
  /** Origins of the merchants' dashboard: they may read what the routes of members answer. */
  readonly dashboardOrigins: ReadonlySet<string>;
  /** The application behind the edge: it sees only requests to its routes that passed their credential rule. */
  readonly next: (request: IncomingMessage, response: ServerResponse) => void;
  readonly onAnswered: (exchange: Exchange, status: number) => void;
  /** Logs what is a bug, and answers it. */
  readonly onError: (error: unknown, exchange: Exchange) => void;
}

/**
 * What every request passes before Express and Nest: request id, CORS, address, method and credential. Here, as
 * plain calls, because a middleware, a guard and a not-found handler would each cost more than all of this.
 */
export class Edge {
  private isDraining = false;
  private readonly onAnswered: EdgeParts['onAnswered'];

  constructor(private readonly parts: EdgeParts) {
    this.onAnswered = (exchange, status) => {
      if (this.isDraining) exchange.response.shouldKeepAlive = false;
      parts.onAnswered(exchange, status);
    };
  }

  /** From now on each answer closes its connection, so that clients go to another replica, also of requests under way. */
  drain(): void {
    this.isDraining = true;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    const methods = this.parts.routes.at(path);
    const exchange = this.open(request, response, path, takesMembers(meantRoute(request, methods)));
    try {
      this.dispatch(exchange, path, methods);
    } catch (error) {
      // A bug costs one request its answer, never all of them their process.
      this.parts.onError(error, exchange);
    }
  }

  private dispatch(exchange: Exchange, path: string, methods: Methods | undefined): void {
    const { request } = exchange;
    if (exchange.origin !== undefined && isAdmin(path)) return refuse(exchange, 'browser-refused');
    if (methods === undefined) return refuse(exchange, 'not-found');
    const route = meantRoute(request, methods);
    if (request.method === 'OPTIONS') return answerOptions(exchange, methods.keys(), takesMembers(route));
    if (route === undefined) {
      return refuse(exchange, 'method-not-allowed', {}, ['Allow', [...methods.keys()].join(', ')]);
    }
    exchange.route = route;
    this.guard(exchange, route);
  }

  private open(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    isOfMembers: boolean,
  ): Exchange {
    const { headers } = request;
    const { origin } = headers;
    // No page may read what is under the admin path, not even that it was refused; and no shop's what is its merchant's.
    const isOriginListed =
      origin !== undefined &&
      !isAdmin(path) &&
      (isOfMembers ? this.parts.dashboardOrigins.has(origin) : this.parts.isOriginListed(origin));
    const requestId = requestIdFrom(headers['x-request-id']);
    const exchange = new Exchange(request, response, requestId, origin, isOriginListed, this.onAnswered);
    (response as EdgeResponse).exchange = exchange;
    return exchange;
  }

  private guard(exchange: Exchange, route: Route): void {
    const verdict = this.parts.gatekeeper.check(exchange, route.credential);
    if (!(verdict instanceof Promise)) return this.proceed(exchange, route, verdict);
    verdict
      .then((settled) => this.proceed(exchange, route, settled))
      .catch((error: unknown) => this.parts.onError(error, exchange));
  }

  private proceed(exchange: Exchange, route: Route, refusal: RefusalName | undefined): void {
    if (refusal !== undefined) return refuse(exchange, refusal);
    const { caller } = exchange;
    if (caller !== undefined) {
      const known = this.parts.limiter.knownRefusal(caller.limit, 1);
      if (known?.kind === 'refused') {
        exchange.allowance = known.allowance;
        return refuse(exchange, 'limit-exceeded', {}, ['Retry-After', String(known.retryAfterSeconds)]);
      }
    }
    if (route.credential === 'public' || route.credential === 'admin') {
      const unknown = unknownQuery(exchange);
      if (unknown !== undefined) return refuse(exchange, 'unknown-query', unknown);
    }
    this.parts.next(exchange.request, exchange.response);
  }
}

/** Query parameters that the route does not know, as details; undefined when there are none. */
export function unknownQuery(exchange: Exchange): FieldErrors | undefined {
  const { query, route } = exchange;
  if (query === undefined) return undefined;
  const unknown = [...new Set(query.keys())].filter((name) => route?.knownQuery.has(name) !== true);
  if (unknown.length === 0) return undefined;
  return Object.fromEntries(unknown.map((name) => [name.toWellFormed(), ['is not a known query parameter']]));
}

/** The route that a request is for; of a preflight, the one that it announces. */
function meantRoute(
  { method = '', headers }: IncomingMessage,
  methods: Methods | undefined,
): Route | undefined {
  const meant = method === 'OPTIONS' ? String(headers['access-control-request-method']) : method;
  return methods?.get(meant) ?? (meant === 'HEAD' ? methods?.get('GET') : undefined);
}

function takesMembers(route: Route | undefined): boolean {
  return (
    route !== undefined &&
    isCallerRule(route.credential) &&
    CREDENTIAL_DEMANDS[route.credential].bearer === 'id-token'
  );
}

/** Also of the absolute form of a request's target, which proxies send. */
function pathOf(request: IncomingMessage): string {
  const target = request.url ?? '/';
  if (!target.startsWith('/')) {
    const url = URL.parse(target);
    if (url === null) return target;
    request.url = url.pathname + url.search;
    return url.pathname;
  }
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

function isAdmin(path: string): boolean {
  return path === ADMIN_PATH || path.startsWith(`${ADMIN_PATH}/`);
}
