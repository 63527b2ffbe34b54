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
  /** Path of the request's target, without its query; undefined for an invalid target. */
  readonly path: string | undefined;
  /** By method; undefined for an unknown path. */
  readonly routesHere: RoutesHere | undefined;
  /** Whether a browser at this origin may read the answer. */
  readonly isOriginListed: boolean;
  readonly outstanding: OutstandingAnswers;
  /** Counts the answer by route and status. */
  readonly onAnswered: (exchange: Exchange, status: number) => void;
  /** Undefined without tracing. */
  readonly span?: ServedSpan | undefined;
}

/** One request and its answer, with the results of admission, before a controller sees them. */
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
  /** Set when the route is known; unknown addresses are answered without one. */
  route: Route | undefined;
  /** The caller. Undefined on public routes, and while the credential is still in the unread body. */
  caller: AnyCaller | undefined;
  /** The remaining limit of the caller; once set, every answer contains it. */
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

  /** Query parameters, or undefined without any. */
  get query(): URLSearchParams | undefined {
    const url = this.request.url ?? '';
    const start = url.indexOf('?');
    return start < 0 || start === url.length - 1 ? undefined : new URLSearchParams(url.slice(start));
  }

  /** Continues the caller's trace under this request's span. */
  get traceparent(): string {
    return this.span?.traceparent ?? traceparentFrom(this.request.headers.traceparent);
  }

  /** The parsed body, for admission. */
  get body(): unknown {
    return this.kept;
  }

  keepBody(body: unknown): void {
    this.kept = body;
  }

  /** Returns the parsed body and releases it, so that a waiting request does not keep it. */
  takeBody(): unknown {
    const { kept } = this;
    this.kept = undefined;
    return kept;
  }

  /** @throws Error on a route that admits other callers than sites: its rule does not match its controller */
  callerOfSite(): SiteCaller {
    if (this.caller?.kind !== 'site') throw new Error(`${this.path} is for the credentials of sites alone.`);
    return this.caller;
  }

  /** @throws Error on a public route or the platform's: its rule does not match its controller */
  callerWithLimit(): Caller {
    const { caller } = this;
    if (caller === undefined || caller.kind === 'platform') {
      throw new Error(`${this.path} is for the credentials of sites and users alone.`);
    }
    return caller;
  }

  /** @throws Error on a public route: its rule does not match its controller */
  anyCaller(): AnyCaller {
    if (this.caller === undefined) throw new Error(`${this.path} asks for no credential.`);
    return this.caller;
  }
}

/** Controllers get their exchange through the response that Nest passes to them. */
export interface EdgeResponse extends ServerResponse {
  exchange: Exchange;
}
