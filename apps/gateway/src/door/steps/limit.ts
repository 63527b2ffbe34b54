import type { HourlyLimit } from '../../limits/hourly-limit.js';
import type { HourlyLimiter, LimitClaim, LimitDecision, LimitVerdict } from '../../limits/hourly-limiter.js';
import type { Charge, Exchange, Refused } from '../../http/exchange.js';
import type { CredentialRule } from '../../http/route-rules.js';
import type { AdmissionParts, Outcome } from './step.js';

/** The routes that answer when their events are committed. */
const STORES_EVENTS: ReadonlySet<CredentialRule | undefined> = new Set<CredentialRule>([
  'event-writer',
  'event-writer-or-beacon',
]);

/** What an item that breaks the rules takes more from its sender's share of a site's hour; the hour itself counts it once. */
const COST_OF_INVALID_ITEM = 9;

/**
 * Whether the caller's hour has room: refused from memory before the body is read. The request's cost is taken later,
 * when its body tells it, by `exchange.charge`: all of it, or nothing.
 */
export function claimLimit(exchange: Exchange, { limiter, visitors }: AdmissionParts): Outcome {
  const { caller, request } = exchange;
  const limit = caller?.limit;
  if (limit == null) return undefined;
  const claim = limiter.claim(limit, STORES_EVENTS.has(exchange.route?.credential));
  const isVisitor = caller?.kind === 'site' && caller.trust === 'browser';
  exchange.charge = (cost) => take(exchange, claim, cost);
  if (isVisitor) {
    exchange.charge = async (cost) => {
      const beyond = visitors.take(request, limit, cost);
      if (beyond !== undefined) return limitExceeded(exchange, beyond, cost);
      const refused = await take(exchange, claim, cost);
      // What the site's hour has not admitted has cost its visitor nothing.
      if (refused !== undefined) visitors.add(request, limit, -cost);
      return refused;
    };
    exchange.blame = (items) => visitors.add(request, limit, items * COST_OF_INVALID_ITEM);
  }
  return claim.refusal === undefined ? undefined : limitExceeded(exchange, claim.refusal, 1);
}

/** The same for a refused request whose caller was not admitted. */
export function chargeTo(exchange: Exchange, limiter: HourlyLimiter, limit: HourlyLimit): Charge {
  return (cost) => take(exchange, limiter.claim(limit), cost);
}

/**
 * @returns why the limit cannot cover the cost, or undefined; in both cases the answer contains the remaining
 * limit
 */
function take(exchange: Exchange, claim: LimitClaim, cost: number): ReturnType<Charge> {
  const verdict = claim.consume(cost);
  if (!(verdict instanceof Promise)) return refusalBy(exchange, verdict, cost);
  return verdict.then((settled) => refusalBy(exchange, settled, cost));
}

function refusalBy(exchange: Exchange, verdict: LimitVerdict, cost: number): Refused | undefined {
  if (verdict.kind === 'unavailable') return { name: 'unavailable' };
  if (verdict.kind === 'refused') return limitExceeded(exchange, verdict, cost);
  exchange.allowance = verdict.allowance;
  return undefined;
}

/** What costs more than a whole hour has is told so: it would be refused in every hour. Events alone cost more than 1. */
function limitExceeded(
  exchange: Exchange,
  { allowance, retryAfterSeconds }: LimitDecision,
  cost: number,
): Refused {
  exchange.allowance = allowance;
  const refused = { name: 'limit-exceeded', headers: ['Retry-After', String(retryAfterSeconds)] } as const;
  const { limit } = allowance;
  if (cost <= Math.max(limit, 1)) return refused;
  return {
    ...refused,
    details: { events: [`must be at most ${limit}, the limit of an hour, in one request`] },
  };
}
