import type { FieldErrors } from '@truetally/kernel';
import { type Authenticator, presentedInBody } from '../credentials/authenticate.js';
import type { Caller, SiteCaller } from '../credentials/caller.js';
import { CREDENTIAL_DEMANDS } from '../credentials/credential-demand.js';
import type { HourlyLimiter } from '../limits/hourly-limiter.js';
import { unknownQuery } from './edge.js';
import type { RefusalName } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { BodyRules } from '../http/read-body.js';
import { type BodyRefusal, type ReadBody, readJsonBody } from '../http/read-json-body.js';
import { refuse } from '../http/respond.js';
import { isCallerRule } from '../http/route-rules.js';

export interface EntranceParts {
  readonly authenticator: Authenticator;
  readonly limiter: HourlyLimiter;
  readonly bodyRules: BodyRules;
  /** Whether a service can be asked now. What could only be answered 503 costs nothing. */
  readonly isServing: () => boolean;
}

export interface Received {
  readonly caller: SiteCaller;
  readonly body: unknown;
}

/** The same from whoever the route takes: a site's backend or a member of a workspace. */
export interface ReceivedFromAnyone {
  readonly caller: Caller;
  readonly body: unknown;
}

const COST_OF_ONE = 1;
const NO_DETAILS: FieldErrors = {};

/**
 * From a request that speaks for a site or a workspace to one that may be looked at: credential, query and body, limit, in this order
 * (docs/decisions/http-edge.md). Whoever is not authenticated pays nothing; whoever is pays 1 for a body that
 * cannot be read, and what the body costs otherwise.
 */
export class Entrance {
  constructor(private readonly parts: EntranceParts) {}

  /**
   * On routes that take no member.
   * @returns undefined when the request was refused and answered
   */
  async receive(
    exchange: Exchange,
    costOf: (body: unknown) => number = () => COST_OF_ONE,
  ): Promise<Received | undefined> {
    const received = await this.receiveFromAnyone(exchange, costOf);
    if (received === undefined) return undefined;
    const { caller, body } = received;
    return caller.kind === 'site' ? { caller, body } : refused(exchange, 'credential-kind');
  }

  /** @returns undefined when the request was refused and answered */
  async receiveFromAnyone(
    exchange: Exchange,
    costOf: (body: unknown) => number = () => COST_OF_ONE,
  ): Promise<ReceivedFromAnyone | undefined> {
    const read = await this.read(exchange);
    if ('fault' in read) return this.refuseAtCost(exchange, read.fault);
    const caller = await this.callerOf(exchange, read.body);
    if (caller === undefined) return undefined;
    if (!this.parts.isServing()) return refused(exchange, 'unavailable');
    if (!(await this.admit(exchange, caller, costOf(read.body)))) return undefined;
    return { caller, body: read.body };
  }

  /**
   * The same for a request without a body.
   * @returns undefined when the request was refused and answered
   */
  async receiveQuery(exchange: Exchange): Promise<Caller | undefined> {
    const { caller } = exchange;
    if (caller === undefined) return refused(exchange, 'credential-missing');
    if (!(await this.admit(exchange, caller, COST_OF_ONE))) return undefined;
    const unknown = unknownQuery(exchange);
    return unknown === undefined ? caller : refused(exchange, 'unknown-query', unknown);
  }

  private async read(exchange: Exchange): Promise<ReadBody> {
    const unknown = unknownQuery(exchange);
    if (unknown !== undefined) return { fault: { name: 'unknown-query', details: unknown } };
    // Text is what a page's beacon sends, and a beacon has its credential in the body.
    return readJsonBody(exchange, this.parts.bodyRules, exchange.caller === undefined);
  }

  /** The header's caller, or the one that a beacon names in its body; never both. */
  private async callerOf(exchange: Exchange, body: unknown): Promise<Caller | undefined> {
    const presented = presentedInBody(body);
    if (!presented.ok) return refused(exchange, presented.error);
    if (exchange.caller !== undefined) {
      return presented.value === undefined ? exchange.caller : refused(exchange, 'credential-ambiguous');
    }
    const rule = exchange.route?.credential;
    if (presented.value === undefined || rule === undefined || !isCallerRule(rule)) {
      return refused(exchange, 'credential-missing');
    }
    const { authenticator } = this.parts;
    const demand = CREDENTIAL_DEMANDS[rule];
    const authentication = await authenticator.authenticate(presented.value, exchange.origin, demand);
    return authentication.ok ? authentication.value : refused(exchange, authentication.error);
  }

  private async refuseAtCost(exchange: Exchange, { name, details }: BodyRefusal): Promise<undefined> {
    const { caller } = exchange;
    const isOurFault = name === 'unavailable';
    if (caller !== undefined && !isOurFault && !(await this.admit(exchange, caller, COST_OF_ONE))) {
      return undefined;
    }
    return refused(exchange, name, details);
  }

  private async admit(exchange: Exchange, caller: Caller, cost: number): Promise<boolean> {
    const verdict = await this.parts.limiter.consume(caller.limit, cost);
    if (verdict.kind === 'unavailable') {
      refuse(exchange, 'unavailable');
      return false;
    }
    exchange.allowance = verdict.allowance;
    if (verdict.kind === 'admitted') return true;
    refuse(exchange, 'limit-exceeded', NO_DETAILS, ['Retry-After', String(verdict.retryAfterSeconds)]);
    return false;
  }
}

function refused(exchange: Exchange, name: RefusalName, details?: FieldErrors): undefined {
  refuse(exchange, name, details);
  return undefined;
}
