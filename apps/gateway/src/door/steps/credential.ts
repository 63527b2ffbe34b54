import type { IncomingHttpHeaders } from 'node:http';
import { NO_WORKSPACE } from '@truetally/contracts/management';
import { fail, type Result, succeed, UUID } from '@truetally/kernel';
import type { CredentialFault, Presented } from '../../credentials/authenticate.js';
import type { CredentialDemand } from '../../credentials/credential-demand.js';
import type { Exchange } from '../../http/exchange.js';
import type { AdmissionParts, Outcome } from './step.js';

/** Whose request this is, by the credential in its headers: before its body is read. */
export function checkCredential(exchange: Exchange, parts: AdmissionParts): Outcome | Promise<Outcome> {
  const { credential, demand } = exchange.route ?? {};
  if (demand !== undefined) return checkCaller(exchange, demand, parts);
  if (credential === 'listed-page') return checkPage(exchange);
  if (credential === 'admin') return checkAdmin(exchange, parts);
  return undefined;
}

function checkCaller(
  exchange: Exchange,
  demand: CredentialDemand,
  { authenticator, isOriginListed }: AdmissionParts,
): Outcome | Promise<Outcome> {
  const presented = presentedInHeaders(exchange.request.headers);
  if (!presented.ok) return { name: presented.error };
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
  return exchange.identify(authenticator.authenticate(credential, origin, demand));
}

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The credential in the headers; undefined for none, a fault for more than one. */
export function presentedInHeaders(
  headers: IncomingHttpHeaders,
): Result<Presented | undefined, CredentialFault> {
  const key = headers['x-api-key'];
  const authorization = headers.authorization;
  if (key !== undefined && authorization !== undefined) return fail('credential-ambiguous');
  if (key !== undefined) return succeed({ kind: 'api-key', text: String(key), isInHeader: true });
  if (authorization === undefined) return succeed(undefined);
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined) return fail('credential-invalid');
  const workspaceId = headers['x-workspace-id'];
  return succeed({
    kind: 'bearer',
    text: token,
    workspaceId: workspaceId === undefined ? undefined : String(workspaceId),
  });
}

/** Its body names the site, whose list decides: a merchant who has forgotten an origin is to see that it is refused. */
function checkPage({ origin }: Exchange): Outcome {
  return origin === undefined ? { name: 'subject-refused' } : undefined;
}

function checkAdmin(exchange: Exchange, { adminSecret }: AdmissionParts): Outcome | Promise<Outcome> {
  const refusal = adminSecret.check(exchange.request);
  if (refusal instanceof Promise) return refusal.then((name) => ({ name }));
  if (refusal !== undefined) return { name: refusal };
  exchange.caller = { kind: 'platform', workspaceId: workspaceOfPath(exchange), limit: null };
  return undefined;
}

/** The workspace in the request's path, in lower case; `NO_WORKSPACE` for an invalid id. */
function workspaceOfPath({ params }: Exchange): string {
  const id = params['workspace_id']?.toLowerCase() ?? '';
  return UUID.test(id) ? id : NO_WORKSPACE;
}
