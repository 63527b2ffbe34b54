import type { Exchange } from '../http/exchange.js';
import type { HourlyLimit } from '../limits/hourly-limit.js';
import type { HourlyLimiter, LimitVerdict } from '../limits/hourly-limiter.js';
import type { AdmissionParts, Outcome, Refused } from './step.js';

/** Takes the request's cost from the caller's hourly limit: all of it, or nothing. */
export function consumeLimit(exchange: Exchange, { limiter }: AdmissionParts): Outcome | Promise<Outcome> {
  const limit = exchange.caller?.limit;
  return limit == null ? undefined : charge(exchange, limiter, limit, exchange.cost);
}

/**
 * @returns why the limit cannot cover the cost, or undefined; in both cases the answer contains the remaining
 * limit
 */
export async function charge(
  exchange: Exchange,
  limiter: HourlyLimiter,
  limit: HourlyLimit,
  cost: number,
): Promise<Refused | undefined> {
  const verdict = await limiter.consume(limit, cost);
  if (verdict.kind === 'unavailable') return { name: 'unavailable' };
  if (verdict.kind === 'refused') return limitExceeded(exchange, verdict);
  exchange.allowance = verdict.allowance;
  return undefined;
}

type Decided = Exclude<LimitVerdict, { readonly kind: 'unavailable' }>;

export function limitExceeded(exchange: Exchange, { allowance, retryAfterSeconds }: Decided): Refused {
  exchange.allowance = allowance;
  return { name: 'limit-exceeded', headers: ['Retry-After', String(retryAfterSeconds)] };
}
