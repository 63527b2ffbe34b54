import type { Exchange } from '../http/exchange.js';
import { namesTwoHosts } from './request-target.js';
import type { Outcome } from './step.js';

/** Accepts only a form of request that every hop parses alike: one target, one host. */
export function checkForm({ path, request }: Exchange): Outcome {
  return path === undefined || namesTwoHosts(request) ? { name: 'malformed-request' } : undefined;
}
