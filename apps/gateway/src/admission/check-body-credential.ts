import { presentedInBody } from '../credentials/authenticate.js';
import { CREDENTIAL_DEMANDS } from '../credentials/credential-demand.js';
import type { Exchange } from '../http/exchange.js';
import { isCallerRule } from '../http/route-rules.js';
import { settle } from './check-credential.js';
import type { AdmissionParts, Outcome } from './step.js';

/** A page's beacon has its credential in the body; all others have it in a header, never in both. */
export function checkBodyCredential(
  exchange: Exchange,
  { authenticator }: AdmissionParts,
): Outcome | Promise<Outcome> {
  const { route, origin, caller } = exchange;
  if (route?.body === undefined || !isCallerRule(route.credential)) return undefined;
  const presented = presentedInBody(exchange.body);
  if (!presented.ok) return { name: presented.error };
  if (caller !== undefined) {
    return presented.value === undefined ? undefined : { name: 'credential-ambiguous' };
  }
  if (presented.value === undefined) return { name: 'credential-missing' };
  const demand = CREDENTIAL_DEMANDS[route.credential];
  const authentication = authenticator.authenticate(presented.value, origin, demand);
  if (!(authentication instanceof Promise)) return settle(exchange, authentication);
  return authentication.then((settled) => settle(exchange, settled));
}
