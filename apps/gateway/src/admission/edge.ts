import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tracing } from '@truetally/tracing';
import { type EdgeResponse, Exchange } from '../http/exchange.js';
import { requestIdFrom } from '../http/request-id.js';
import type { OutstandingAnswers } from '../http/outstanding-answers.js';
import type { RouteCatalogue } from '../http/route-catalogue.js';
import type { Admission } from './admission.js';
import { isAdmin } from './keep-browsers-out.js';
import { isForMembers } from './meant-route.js';
import { pathOfTarget } from './request-target.js';

export interface EdgeParts {
  readonly routes: RouteCatalogue;
  readonly admission: Admission;
  /** Whether a page at this origin may read answers of storefront routes. */
  readonly isOriginListed: (origin: string) => boolean;
  /** Origins of the merchants' dashboard, which may read answers of routes of members. */
  readonly dashboardOrigins: ReadonlySet<string>;
  /** The application behind the edge: it receives only admitted requests to its routes. */
  readonly next: (request: IncomingMessage, response: ServerResponse) => void;
  readonly outstanding: OutstandingAnswers;
  readonly onAnswered: (exchange: Exchange, status: number) => void;
  /** Undefined without tracing. */
  readonly tracing?: Tracing | undefined;
  /** Logs a bug and answers it. */
  readonly onError: (error: unknown, exchange: Exchange) => void;
}

/**
 * Runs before Express and Nest for every request: opens its exchange and runs admission. These are plain
 * calls, because a middleware, a guard and a not-found handler would each cost more than all of this.
 */
export class Edge {
  private isDraining = false;
  private readonly onAnswered: EdgeParts['onAnswered'];

  constructor(private readonly parts: EdgeParts) {
    this.onAnswered = (exchange, status) => {
      if (this.isDraining) exchange.response.shouldKeepAlive = false;
      parts.onAnswered(exchange, status);
      if (exchange.span !== undefined) endSpan(exchange, status);
    };
  }

  /**
   * From now on each answer closes its connection, also of current requests, so that clients move to another
   * replica.
   */
  drain(): void {
    this.isDraining = true;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const exchange = this.open(request, response);
    void this.pass(exchange);
  }

  private async pass(exchange: Exchange): Promise<void> {
    const { admission, next, onError } = this.parts;
    try {
      if (!(await admission.admit(exchange))) return;
      const { response, route } = exchange;
      if (route?.answer === undefined) next(exchange.request, response);
      else await route.answer(response as EdgeResponse);
    } catch (error) {
      // A bug costs one request its answer, never the whole process.
      onError(error, exchange);
    }
  }

  private open(request: IncomingMessage, response: ServerResponse): Exchange {
    const { headers } = request;
    const { origin } = headers;
    const path = pathOfTarget(request);
    const routesHere = path === undefined ? undefined : this.parts.routes.at(path);
    // No page may read answers below the admin path, not even a refusal; and no shop's page those of its
    // merchant.
    const isOriginListed =
      origin !== undefined &&
      path !== undefined &&
      !isAdmin(path) &&
      (isForMembers(request, routesHere)
        ? this.parts.dashboardOrigins.has(origin)
        : this.parts.isOriginListed(origin));
    const exchange = new Exchange({
      request,
      response,
      requestId: requestIdFrom(headers['x-request-id']),
      origin,
      path,
      routesHere,
      isOriginListed,
      outstanding: this.parts.outstanding,
      onAnswered: this.onAnswered,
      span: this.parts.tracing?.serve(single(headers.traceparent)),
    });
    (response as EdgeResponse).exchange = exchange;
    return exchange;
  }
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

const SERVER_FAULTS = 500;

/** By the route's declared path: a concrete address may contain private data. */
function endSpan({ span, request, route, requestId }: Exchange, status: number): void {
  const { method = '' } = request;
  const path = route?.path ?? 'none';
  const attributes = {
    'http.request.method': method,
    'http.route': path,
    'http.response.status_code': status,
    'truetally.request_id': requestId,
  };
  span?.end(`${method} ${path}`, attributes, status >= SERVER_FAULTS ? String(status) : undefined);
}
