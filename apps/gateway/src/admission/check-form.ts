import type { Exchange } from '../http/exchange.js';
import { namesTwoHosts } from './request-target.js';
import type { Outcome } from './step.js';

/** What every part of the way reads alike, and nothing else, is a request: one target, one host. */
export function checkForm({ path, request }: Exchange): Outcome {
  return path === undefined || namesTwoHosts(request) ? { name: 'malformed-request' } : undefined;
}
