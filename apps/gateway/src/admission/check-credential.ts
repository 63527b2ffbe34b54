import { type Authentication, presentedInHeaders } from '../credentials/authenticate.js';
import { type CallerRule, CREDENTIAL_DEMANDS } from '../credentials/credential-demand.js';
import type { Exchange } from '../http/exchange.js';
import type { AdmissionParts, Outcome } from './step.js';
import { workspaceOfPath } from './workspace-of-path.js';

/** Checks the credential in a request's headers, before its body is read. */
export function checkCredential(exchange: Exchange, parts: AdmissionParts): Outcome | Promise<Outcome> {
  const rule = exchange.route?.credential;
  if (rule === undefined || rule === 'public') return undefined;
  if (rule === 'listed-page') return checkPage(exchange, parts);
  if (rule === 'admin') return checkAdmin(exchange, parts);
  return checkCaller(exchange, rule, parts);
}

function checkPage({ origin }: Exchange, { isOriginListed }: AdmissionParts): Outcome {
  return origin !== undefined && isOriginListed(origin) ? undefined : { name: 'subject-refused' };
}

function checkAdmin(exchange: Exchange, { adminSecret }: AdmissionParts): Outcome | Promise<Outcome> {
  const refusal = adminSecret.check(exchange.request);
  if (refusal instanceof Promise) return refusal.then((name) => ({ name }));
  if (refusal !== undefined) return { name: refusal };
  exchange.caller = { kind: 'platform', workspaceId: workspaceOfPath(exchange), limit: null };
  return undefined;
}

function checkCaller(
  exchange: Exchange,
  rule: CallerRule,
  { authenticator, isOriginListed }: AdmissionParts,
): Outcome | Promise<Outcome> {
  const presented = presentedInHeaders(exchange.request.headers);
  if (!presented.ok) return { name: presented.error };
  const demand = CREDENTIAL_DEMANDS[rule];
  const { origin } = exchange;
  if (presented.value === undefined) {
    // A beacon's credential is in the body; a request without an Origin is not a page's beacon.
    if (!demand.takesBeacon || origin === undefined) return { name: 'credential-missing' };
    return isOriginListed(origin) ? undefined : { name: 'credential-invalid' };
  }
  const picked = presented.value;
  const credential =
    picked.kind === 'bearer' && demand.workspace === 'of-path'
      ? { ...picked, workspaceId: workspaceOfPath(exchange) }
      : picked;
  const authentication = authenticator.authenticate(credential, origin, demand);
  if (!(authentication instanceof Promise)) return settle(exchange, authentication);
  return authentication.then((settled) => settle(exchange, settled));
}

export function settle(exchange: Exchange, authentication: Authentication): Outcome {
  if (!authentication.ok) return { name: authentication.error, chargedTo: authentication.chargedTo };
  exchange.caller = authentication.value;
  return undefined;
}
