import type { Exchange } from '../http/exchange.js';
import { limitExceeded } from './consume-limit.js';
import type { AdmissionParts, Outcome } from './step.js';

/** Refuses from memory what cannot fit into the caller's hourly limit, before its body is read. */
export function checkKnownLimit(exchange: Exchange, { limiter }: AdmissionParts): Outcome {
  const limit = exchange.caller?.limit;
  if (limit == null) return undefined;
  const known = limiter.knownRefusal(limit, 1);
  return known?.kind === 'refused' ? limitExceeded(exchange, known) : undefined;
}
