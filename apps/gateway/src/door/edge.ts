import { IncomingMessage } from 'node:http';
import type { ServedSpan, Tracing } from '@truetally/tracing';
import { REFUSALS, type Refusal } from '../http/errors.js';
import { Exchange, type Refused } from '../http/exchange.js';
import type { OutstandingAnswers } from '../http/answers.js';
import type { Answering, RequestHead } from '../http/message.js';
import { forgetHead } from '../http/shares.js';
import { refuse } from '../http/respond.js';
import type { CredentialRule } from '../http/route-rules.js';
import type { CallerRule } from '../credentials/credential-demand.js';
import { checkQuery, receiveBody } from './steps/body.js';
import { checkCredential } from './steps/credential.js';
import { pathOfRequest } from './steps/form.js';
import { chargeTo, claimLimit } from './steps/limit.js';
import { findRoute } from './steps/route.js';
import { waitForBatches, waitForTurn } from './steps/turn.js';
import type { AdmissionParts, Outcome, Step } from './steps/step.js';

export interface EdgeParts extends AdmissionParts {
  readonly outstanding: OutstandingAnswers;
  readonly onAnswered: (exchange: Exchange, status: number) => void;
  /** The answer is a refusal, by whatever part of the road. */
  readonly onRefused: (exchange: Exchange, status: number) => void;
  /** Undefined without tracing. */
  readonly tracing?: Tracing | undefined;
  /** Logs a bug and answers it. */
  readonly onError: (error: unknown, exchange: Exchange) => void;
}

/**
 * Traffic of shops, counted by the hour and stored in groups: it never waits behind a merchant's own reading, and is noted with its
 * body. Batches are large, and have turns of their own.
 */
const WITHOUT_TURNS: ReadonlySet<CredentialRule> = new Set<CallerRule>([
  'event-writer',
  'event-writer-or-beacon',
  'touch-writer-or-beacon',
  'conversion-writer',
]);
const takeTurn: Step = (exchange, parts) =>
  exchange.route !== undefined && WITHOUT_TURNS.has(exchange.route.credential)
    ? undefined
    : waitForTurn(exchange, parts);

const takeBatchTurn: Step = (exchange, parts) =>
  exchange.route?.credential === 'event-writer-or-beacon' ? waitForBatches(exchange, parts) : undefined;

/** The questions between a request and its controller, in this order (docs/decisions/http-edge.md). */
const STEPS: readonly Step[] = [
  findRoute,
  checkCredential,
  claimLimit,
  checkQuery,
  takeTurn,
  receiveBody,
  takeBatchTurn,
];

/**
 * The road of every request: its form, its steps, its controller. These are plain calls, because a middleware, a guard
 * and a not-found handler would each cost more than all of this.
 */
export class Edge {
  private isDraining = false;

  constructor(private readonly parts: EdgeParts) {}

  /**
   * From now on each answer closes its connection, also of current requests, so that clients move to another
   * replica.
   */
  drain(): void {
    this.isDraining = true;
  }

  readonly handle = (request: RequestHead, response: Answering): void => {
    const { outstanding, tracing } = this.parts;
    const { traceparent } = request.headers;
    const exchange = new Exchange({
      request,
      response,
      path: request.path ?? pathOfRequest(request),
      outstanding,
      onAnswered: this.onAnswered,
      span: tracing?.serve(typeof traceparent === 'string' ? traceparent : undefined),
    });
    void this.pass(exchange);
  };

  private async pass(exchange: Exchange): Promise<void> {
    try {
      const admitted = this.admit(exchange);
      const outcome = admitted instanceof Promise ? await admitted : admitted;
      if (outcome === undefined) await exchange.route?.answer(exchange, exchange.params);
      else if (outcome !== 'answered') await this.refuse(exchange, outcome);
    } catch (error) {
      // A bug costs one request its answer, never the whole process.
      this.parts.onError(error, exchange);
    } finally {
      exchange.endBatch?.();
    }
  }

  /** Admits or refuses a request, only by what its route declares: at once, as far as no step waits. */
  private admit(exchange: Exchange, steps = STEPS): Outcome | Promise<Outcome> {
    for (let index = 0; index < steps.length; index += 1) {
      const outcome = steps[index]?.(exchange, this.parts);
      if (outcome instanceof Promise) {
        return outcome.then((settled) => settled ?? this.admit(exchange, steps.slice(index + 1)));
      }
      if (outcome !== undefined) return outcome;
    }
    // The caller of a beacon is known only now.
    const refused = exchange.charge === undefined ? claimLimit(exchange, this.parts) : undefined;
    return refused ?? exchange.charge?.(exchange.cost);
  }

  /**
   * A refused known caller pays 1 from its limit. Insufficient credentials and our own failures cost nothing
   * (interface page, section 3).
   */
  private async refuse(exchange: Exchange, refused: Refused): Promise<void> {
    const { chargedTo } = refused;
    const charge =
      chargedTo === undefined ? exchange.charge : chargeTo(exchange, this.parts.limiter, chargedTo);
    const isPaid = exchange.allowance !== undefined;
    const beyond = isPaid || isFree(REFUSALS[refused.name]) ? undefined : await charge?.(1);
    const { name, details, headers } = beyond ?? refused;
    refuse(exchange, name, details, headers);
  }

  private readonly onAnswered = (exchange: Exchange, status: number): void => {
    const { request, response } = exchange;
    if (this.isDraining) response.shouldKeepAlive = false;
    if (request instanceof IncomingMessage && !request.complete)
      exchange.outgoing.once('finish', () => forgetHead(request));
    exchange.endTurn?.(0);
    this.parts.onAnswered(exchange, status);
    if (status >= FIRST_REFUSAL) this.parts.onRefused(exchange, status);
    if (exchange.span !== undefined) endSpan(exchange, exchange.span, status);
  };
}

const FIRST_REFUSAL = 400;
const UNAUTHORIZED = 401;
const FIRST_OF_OURS = 500;

function isFree({ status }: Refusal): boolean {
  return status === UNAUTHORIZED || status >= FIRST_OF_OURS;
}

/** By the route's declared path: a concrete address may contain private data. */
function endSpan({ request, route, requestId }: Exchange, span: ServedSpan, status: number): void {
  const { method = '' } = request;
  const path = route?.path ?? 'none';
  const attributes = {
    'http.request.method': method,
    'http.route': path,
    'http.response.status_code': status,
    'truetally.request_id': requestId,
  };
  span.end(`${method} ${path}`, attributes, status >= FIRST_OF_OURS ? String(status) : undefined);
}
