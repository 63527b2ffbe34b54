import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '@truetally/contracts/http';
import type { FieldErrors, JsonReading } from '@truetally/kernel';
import type { ServedSpan } from '@truetally/tracing';
import type { Authentication } from '../credentials/authenticate.js';
import type { AnyCaller, Caller, SiteCaller } from '../credentials/caller.js';
import type { CredentialDemand } from '../credentials/credential-demand.js';
import type { Allowance, HourlyLimit } from '../limits/hourly-limit.js';
import type { OutstandingAnswers } from './answers.js';
import type { RefusalName } from './errors.js';
import type { Answering, RequestHead } from './message.js';
import type { QueryParameter } from './query-reader.js';
import type { AnswerForms, BodyRule, CredentialRule, ReceivedBody } from './route-rules.js';

export interface ExchangeParts {
  readonly request: RequestHead;
  readonly response: Answering;
  /** Path of the request's target, without its query; undefined for a request of no valid form. */
  readonly path: string | undefined;
  readonly outstanding: OutstandingAnswers;
  /** Counts the answer by route and status. */
  readonly onAnswered: (exchange: Exchange, status: number) => void;
  /** Undefined without tracing. */
  readonly span?: ServedSpan | undefined;
}

/** Why a request is refused. */
export interface Refused {
  readonly name: RefusalName;
  readonly details?: FieldErrors;
  readonly headers?: readonly string[];
  /** The limit that pays for the refusal, if it is known before admission. */
  readonly chargedTo?: HourlyLimit | undefined;
}

/** Takes a cost from a limit: all of it, or nothing and the refusal. At once where it is known without asking. */
export type Charge = (cost: number) => Identified | Promise<Identified>;

type Identified = Refused | undefined;

/** One request and its answer, with the results of admission, before a controller sees them. */
export class Exchange {
  readonly request: RequestHead;
  readonly response: Answering;
  readonly requestId: string;
  readonly origin: string | undefined;
  readonly path: string | undefined;
  readonly outstanding: OutstandingAnswers;
  readonly onAnswered: ExchangeParts['onAnswered'];
  readonly span: ServedSpan | undefined;
  /** By the monotonic clock, in milliseconds. */
  readonly beganMs = performance.now();
  /** Whether a browser at this origin may read the answer. */
  isOriginListed = false;
  /** Set when the route is known; unknown addresses are answered without one. */
  route: Route | undefined;
  params: Params = NO_PARAMS;
  /** The caller. Undefined on public routes, and while the credential is still in the unread body. */
  caller: AnyCaller | undefined;
  /** The site of a credential that was refused; undefined where none of ours was recognised. */
  refusedSiteId: string | undefined;
  /** Whether the request is refused for its only event, which is counted as an item. */
  isCountedByItem = false;
  /** Of the answer that refuses it. */
  refusedWith: ErrorCode | undefined;
  /** Why a service could not answer it; undefined for all other refusals. */
  failure: string | undefined;
  /** Takes what the request costs from its caller's hour; undefined without a limit. */
  charge: Charge | undefined;
  /** Takes invalid items from the share of a visitor's address; undefined where the caller is no visitor. */
  blame: ((items: number) => void) | undefined;
  /** Of its body, after decompression. */
  receivedBytes = 0;
  /** Ends the turn of whoever answers for the request, with the bytes of its answer; undefined where it needs none. */
  endTurn: ((bytes: number) => void) | undefined;
  /** Ends the turn of its batch, also when nobody waits for the answer any more. */
  endBatch: (() => void) | undefined;
  /** Who answers for the request, as services tell owners apart; undefined for events, touches and orders. */
  holder: string | undefined;
  /** The remaining limit of the caller; once set, every answer contains it. */
  allowance: Allowance | undefined;
  /** What the request costs its caller's hour. */
  cost = 1;
  private kept: unknown;
  private texts: JsonReading['texts'];

  constructor({ request, response, path, outstanding, onAnswered, span }: ExchangeParts) {
    this.request = request;
    this.response = response;
    this.requestId = requestIdFrom(request.headers['x-request-id']);
    this.origin = request.headers.origin;
    this.path = path;
    this.outstanding = outstanding;
    this.onAnswered = onAnswered;
    this.span = span;
  }

  /** Keeps the caller. @returns why there is none */
  identify(authentication: Authentication | Promise<Authentication>): Identified | Promise<Identified> {
    if (authentication instanceof Promise) return authentication.then((settled) => this.identify(settled));
    if (!authentication.ok) {
      this.refusedSiteId = authentication.siteId;
      return { name: authentication.error, chargedTo: authentication.chargedTo };
    }
    this.caller = authentication.value;
    return undefined;
  }

  /** Query parameters, or undefined without any. */
  get query(): URLSearchParams | undefined {
    const url = this.request.url ?? '';
    const start = url.indexOf('?');
    return start < 0 || start === url.length - 1 ? undefined : new URLSearchParams(url.slice(start));
  }

  /**
   * The request as a stream.
   * @throws Error for one that was read whole: routes of the lane read no stream
   */
  get incoming(): IncomingMessage {
    if (this.request instanceof IncomingMessage) return this.request;
    throw new Error(`${this.path} reads a stream, and may not be on the lane.`);
  }

  /**
   * The answer as a stream.
   * @throws Error where the request was read whole
   */
  get outgoing(): ServerResponse {
    if (this.response instanceof ServerResponse) return this.response;
    throw new Error(`${this.path} writes a stream, and may not be on the lane.`);
  }

  /** Continues the caller's trace, under this request's span where it has one. */
  get traceparent(): string | undefined {
    return this.span?.traceparent ?? traceparentFrom(this.request.headers.traceparent);
  }

  /** The parsed body, for admission. */
  get body(): unknown {
    return this.kept;
  }

  keepBody(body: unknown, texts?: JsonReading['texts']): void {
    this.kept = body;
    this.texts = texts;
  }

  /** Returns the parsed body and releases it, so that a waiting request does not keep it. */
  takeBody(): unknown {
    const { kept } = this;
    this.kept = undefined;
    return kept;
  }

  /** The texts that were cut from the body, once. */
  takeTexts(): JsonReading['texts'] {
    const { texts } = this;
    this.texts = undefined;
    return texts;
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

/** The values in a request's path by their names in the route's, decoded. */
export type Params<Name extends string = string> = Readonly<Record<Name, string>>;

/** What a controller's method declares. */
export interface RouteRules {
  readonly method: string;
  /** As declared: `/api/admin/dead-letters/:id/replay`. */
  readonly path: string;
  readonly credential: CredentialRule;
  /** What the rule asks of its caller's credential; undefined where it knows no caller. */
  readonly demand: CredentialDemand | undefined;
  readonly knownQuery: ReadonlyMap<string, QueryParameter>;
  /** Undefined where no body is read, or the controller reads it itself. */
  readonly body: BodyRule | undefined;
  /** The controller's method: `ProductsController.create`. */
  readonly name?: string;
  readonly answers?: AnswerForms | undefined;
  /** Undefined where the controller does not read a body itself. */
  readonly receives?: ReceivedBody | undefined;
  /** Statuses of refusals beside those that the other rules imply. */
  readonly refuses?: readonly number[];
  readonly isCacheable?: boolean;
  /** Whether it may answer with a stream of events instead. */
  readonly isStreamed?: boolean;
  readonly isSigned?: boolean;
}

export interface Route extends RouteRules {
  /** The controller's method, which answers an admitted request. */
  readonly answer: (exchange: Exchange, params: Params) => void | Promise<void>;
}

/** What is at a path. */
export interface RoutesHere {
  /** The methods of the address, each with its route. */
  readonly methods: ReadonlyMap<string, Route>;
  /** Undefined where a value in the path is no UTF-8. */
  readonly params: Params | undefined;
}

const NO_PARAMS: Params = {};

const ADOPTABLE = /^[A-Za-z0-9_-]{8,64}$/;

/** The caller's `X-Request-Id` if it has the agreed form, otherwise a new one (interface page, section 1). */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && ADOPTABLE.test(header) ? header : randomUUID();
}

/** W3C Trace Context, version 00: trace id and parent id must not be all zeros. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A valid header goes on as it came, because nothing is recorded here; without one there is no trace. */
export function traceparentFrom(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}
