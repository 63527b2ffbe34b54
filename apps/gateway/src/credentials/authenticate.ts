import type { IncomingHttpHeaders } from 'node:http';
import type { TrustClass } from '@truetally/contracts';
import { fail, type Result, succeed } from '@truetally/kernel';
import type { RefusalName } from '../http/errors.js';
import type { Caller } from './caller.js';
import type { CredentialDemand } from './credential-demand.js';
import type { ApiKey, KeyDirectory } from './key-directory.js';
import type { RuntimeTokenClaims, RuntimeTokens } from './runtime-token.js';
import type { SiteDirectory } from './site-directory.js';

export type CredentialFault = Extract<
  RefusalName,
  | 'credential-ambiguous'
  | 'credential-invalid'
  | 'credential-kind'
  | 'credential-missing'
  | 'scope-forbidden'
  | 'scope-missing'
>;
export type Authentication = Result<Caller, CredentialFault>;

/** What a request brings as its credential, and how: in a header, or in a beacon's body. */
export type Presented =
  | { readonly kind: 'api-key'; readonly text: string; readonly isInHeader: boolean }
  | { readonly kind: 'runtime-token'; readonly text: string };

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** Decides who asks (interface page, section 2), from memory alone. */
export class Authenticator {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly keys: KeyDirectory,
    private readonly tokens: RuntimeTokens,
    private readonly nowMs: () => number,
  ) {}

  /** Synchronous but for a token's first use: the hot path does not wait. */
  authenticate(
    presented: Presented,
    origin: string | undefined,
    demand: CredentialDemand,
  ): Authentication | Promise<Authentication> {
    if (presented.kind === 'api-key') return this.byKey(presented, origin, demand);
    if (!demand.takesRuntimeToken) return fail('credential-kind');
    const claims = this.tokens.recall(presented.text);
    if (claims !== undefined) return this.byClaims(claims, origin);
    return this.tokens
      .verify(presented.text)
      .then((verified) =>
        verified === undefined ? fail('credential-invalid') : this.byClaims(verified, origin),
      );
  }

  private byKey(
    { text, isInHeader }: Presented & { kind: 'api-key' },
    origin: string | undefined,
    { scope, scopeRefusal }: CredentialDemand,
  ): Authentication {
    if (scope === null) return fail('credential-kind');
    const key = this.keys.find(text, this.nowMs());
    const site = key === undefined ? undefined : this.sites.active(key.siteId);
    if (key === undefined || site === undefined) return fail('credential-invalid');
    if (!isInHeader && (origin === undefined || !site.allowedOrigins.has(origin))) {
      return fail('credential-invalid');
    }
    if (!key.scopes.has(scope)) return fail(scopeRefusal);
    return succeed(callerOf(key, isInHeader ? 'server' : 'browser'));
  }

  private byClaims(claims: RuntimeTokenClaims, origin: string | undefined): Authentication {
    const site = this.sites.active(claims.siteId);
    const isBoundHere = origin === claims.origin && site?.allowedOrigins.has(claims.origin) === true;
    if (site === undefined || !isBoundHere) return fail('credential-invalid');
    return succeed({ siteId: site.siteId, trust: 'browser', limit: site.runtimeLimit });
  }
}

function callerOf(key: ApiKey, trust: TrustClass): Caller {
  return { siteId: key.siteId, trust, limit: key.limit };
}

/** The credential in the headers; undefined when there is none, a fault when it is not exactly one. */
export function presentedInHeaders(
  headers: IncomingHttpHeaders,
): Result<Presented | undefined, CredentialFault> {
  const key = headers['x-api-key'];
  const authorization = headers.authorization;
  if (key !== undefined && authorization !== undefined) return fail('credential-ambiguous');
  if (key !== undefined) return succeed({ kind: 'api-key', text: String(key), isInHeader: true });
  if (authorization === undefined) return succeed(undefined);
  const token = BEARER.exec(authorization)?.[1];
  return token === undefined ? fail('credential-invalid') : succeed({ kind: 'runtime-token', text: token });
}

/** The credential in a beacon's body; undefined when there is none, a fault when it is not exactly one text. */
export function presentedInBody(body: unknown): Result<Presented | undefined, CredentialFault> {
  if (typeof body !== 'object' || body === null) return succeed(undefined);
  const key = 'api_key' in body ? (body.api_key ?? undefined) : undefined;
  const token = 'runtime_token' in body ? (body.runtime_token ?? undefined) : undefined;
  if (key === undefined && token === undefined) return succeed(undefined);
  if (key !== undefined && token !== undefined) return fail('credential-ambiguous');
  if (typeof key === 'string') return succeed({ kind: 'api-key', text: key, isInHeader: false });
  if (typeof token === 'string') return succeed({ kind: 'runtime-token', text: token });
  return fail('credential-invalid');
}
