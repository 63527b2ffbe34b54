import { hash, timingSafeEqual } from 'node:crypto';
import type { RefusalName } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import type { CredentialRule } from '../http/route-rules.js';
import { type Authentication, type Authenticator, presentedInHeaders } from '../credentials/authenticate.js';
import { CREDENTIAL_DEMANDS } from '../credentials/credential-demand.js';
import { workspaceOfPath } from './workspace-of-path.js';

const BEARER = /^Bearer +(.+)$/i;

/** Holds a request against the credential rule that its route declares, before anything of its body is read. */
export class Gatekeeper {
  private readonly adminDigest: Buffer;

  constructor(
    private readonly authenticator: Authenticator,
    adminSecret: string,
  ) {
    this.adminDigest = digest(adminSecret);
  }

  /** Why the request is refused, or undefined: then the exchange knows its caller, where one is known yet. */
  check(
    exchange: Exchange,
    rule: CredentialRule,
  ): RefusalName | undefined | Promise<RefusalName | undefined> {
    if (rule === 'public') return undefined;
    if (rule === 'admin') return this.checkAdmin(exchange);
    const presented = presentedInHeaders(exchange.request.headers);
    if (!presented.ok) return presented.error;
    const demand = CREDENTIAL_DEMANDS[rule];
    if (presented.value === undefined) {
      // A beacon's credential is in the body; whatever comes without an Origin is no page's beacon.
      const mayBeBeacon = demand.takesBeacon && exchange.origin !== undefined;
      return mayBeBeacon ? undefined : 'credential-missing';
    }
    const picked = presented.value;
    const credential =
      picked.kind === 'bearer' && demand.workspace === 'of-path'
        ? { ...picked, workspaceId: workspaceOfPath(exchange) }
        : picked;
    const authentication = this.authenticator.authenticate(credential, exchange.origin, demand);
    if (!(authentication instanceof Promise)) return settle(exchange, authentication);
    return authentication.then((settled) => settle(exchange, settled));
  }

  private checkAdmin({ origin, request }: Exchange): RefusalName | undefined {
    if (origin !== undefined) return 'browser-refused';
    const secret = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (secret === undefined) return 'credential-missing';
    // Of digests, so that the time taken says nothing about the secret's length either.
    return timingSafeEqual(digest(secret), this.adminDigest) ? undefined : 'credential-invalid';
  }
}

function settle(exchange: Exchange, authentication: Authentication): RefusalName | undefined {
  if (!authentication.ok) return authentication.error;
  exchange.caller = authentication.value;
  return undefined;
}

function digest(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
