import type { Exchange } from '../http/exchange.js';
import type { AdmissionParts, Outcome } from './step.js';

/** Refuses early what could only get 503: a body is for a service, and none is reachable now. */
export function checkServing({ route, caller }: Exchange, { isServing }: AdmissionParts): Outcome {
  const isForService = route?.body !== undefined && caller !== undefined;
  return isForService && !isServing() ? { name: 'unavailable' } : undefined;
}
