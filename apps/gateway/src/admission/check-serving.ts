import type { Exchange } from '../http/exchange.js';
import type { AdmissionParts, Outcome } from './step.js';

/** What could only be answered 503 costs nothing: a body is for a service, and none can be asked now. */
export function checkServing({ route, caller }: Exchange, { isServing }: AdmissionParts): Outcome {
  const isForService = route?.body !== undefined && caller !== undefined;
  return isForService && !isServing() ? { name: 'unavailable' } : undefined;
}
