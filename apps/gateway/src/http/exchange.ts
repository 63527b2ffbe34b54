import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServedSpan } from '@truetally/tracing';
import type { AnyCaller, Caller, SiteCaller } from '../credentials/caller.js';
import type { Allowance } from '../limits/allowance.js';
import type { OutstandingAnswers } from './outstanding-answers.js';
import type { Route, RoutesHere } from './route-catalogue.js';
import { traceparentFrom } from './traceparent.js';

export interface ExchangeParts {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly origin: string | undefined;
  /** Of the request's target, without its query; undefined where that is none. */
  readonly path: string | undefined;
  /** By method; undefined where nothing is. */
  readonly routesHere: RoutesHere | undefined;
  /** Whether a browser at this origin may read the answer. */
  readonly isOriginListed: boolean;
  readonly outstanding: OutstandingAnswers;
  /** Counts the answer by route and status. */
  readonly onAnswered: (exchange: Exchange, status: number) => void;
  /** Undefined where no traces are kept. */
  readonly span?: ServedSpan | undefined;
}

/** One request and its answer, with what admission found out about them before a controller sees them. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly origin: string | undefined;
  readonly path: string | undefined;
  readonly routesHere: RoutesHere | undefined;
  readonly isOriginListed: boolean;
  readonly outstanding: OutstandingAnswers;
  readonly onAnswered: ExchangeParts['onAnswered'];
  readonly span: ServedSpan | undefined;
  /** By the monotonic clock, in milliseconds. */
  readonly beganMs = performance.now();
  /** Set once the route is known; unknown addresses are answered without one. */
  route: Route | undefined;
  /** Who asks. Undefined on public routes, and where the credential is still in the unread body. */
  caller: AnyCaller | undefined;
  /** What is left of the caller's hour; once set, every answer carries it. */
  allowance: Allowance | undefined;
  /** What the request costs its caller's hour. */
  cost = 1;
  private kept: unknown;

  constructor(parts: ExchangeParts) {
    this.request = parts.request;
    this.response = parts.response;
    this.requestId = parts.requestId;
    this.origin = parts.origin;
    this.path = parts.path;
    this.routesHere = parts.routesHere;
    this.isOriginListed = parts.isOriginListed;
    this.outstanding = parts.outstanding;
    this.onAnswered = parts.onAnswered;
    this.span = parts.span;
  }

  /** Names and values after the path's `?`, or undefined when there are none. */
  get query(): URLSearchParams | undefined {
    const url = this.request.url ?? '';
    const start = url.indexOf('?');
    return start < 0 || start === url.length - 1 ? undefined : new URLSearchParams(url.slice(start));
  }

  /** For whom the gateway asks: the caller's trace goes on, under the span of this request. */
  get traceparent(): string {
    return this.span?.traceparent ?? traceparentFrom(this.request.headers.traceparent);
  }

  /** What the body says, for admission to look at. */
  get body(): unknown {
    return this.kept;
  }

  keepBody(body: unknown): void {
    this.kept = body;
  }

  /** What the body says, once: a request that waits for its answer does not keep it. */
  takeBody(): unknown {
    const { kept } = this;
    this.kept = undefined;
    return kept;
  }

  /** @throws Error on a route that lets others in than sites: its rule does not fit its controller */
  callerOfSite(): SiteCaller {
    if (this.caller?.kind !== 'site') throw new Error(`${this.path} is for the credentials of sites alone.`);
    return this.caller;
  }

  /** @throws Error on a route for nobody in particular or for the platform: its rule does not fit its controller */
  callerWithLimit(): Caller {
    const { caller } = this;
    if (caller === undefined || caller.kind === 'platform') {
      throw new Error(`${this.path} is for the credentials of sites and users alone.`);
    }
    return caller;
  }

  /** @throws Error on a route for nobody in particular: its rule does not fit its controller */
  anyCaller(): AnyCaller {
    if (this.caller === undefined) throw new Error(`${this.path} asks for no credential.`);
    return this.caller;
  }
}

/** Controllers reach their exchange through the response that Nest hands them. */
export interface EdgeResponse extends ServerResponse {
  exchange: Exchange;
}
