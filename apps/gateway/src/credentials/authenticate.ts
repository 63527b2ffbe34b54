import { hash } from 'node:crypto';
import { type TrustClass } from '@truetally/contracts/credentials';
import { DEFAULT_WORKSPACE_HOURLY_LIMIT, NO_WORKSPACE } from '@truetally/contracts/management';
import { fail, succeed, UUID } from '@truetally/kernel';
import type { HourlyLimit } from '../limits/hourly-limit.js';
import type { Caller, MemberCaller, User, UserCaller } from './caller.js';
import type { CredentialDemand } from './credential-demand.js';
import type { IdTokens } from './id-token.js';
import type { ApiKey, KeyDirectory } from './key-directory.js';
import type { KeyUses } from './key-uses.js';
import type { MemberDirectory } from './member-directory.js';
import type { RuntimeTokenClaims, RuntimeTokens } from './runtime-token.js';
import type { Site, SiteDirectory } from './site-directory.js';

/** Why a credential is refused; `http/errors.ts` maps each reason for clients. */
export type CredentialFault =
  | 'credential-ambiguous'
  | 'credential-invalid'
  | 'credential-kind'
  | 'credential-missing'
  | 'membership-missing'
  | 'role-forbidden'
  | 'scope-forbidden'
  | 'scope-missing'
  | 'unavailable'
  | 'workspace-malformed'
  | 'workspace-missing'
  | 'workspace-unknown';

export type Authentication =
  | { readonly ok: true; readonly value: Caller }
  | {
      readonly ok: false;
      readonly error: CredentialFault;
      /**
       * The limit of a known caller without permission, which pays for the refusal (interface page, section
       * 3).
       */
      readonly chargedTo?: HourlyLimit;
      /** The site of a credential that is or was one of ours; undefined for any other. */
      readonly siteId?: string | undefined;
    };

/** A request's credential and where it was: in a header, or in a beacon's body. */
export type Presented =
  | { readonly kind: 'api-key'; readonly text: string; readonly isInHeader: boolean }
  | {
      readonly kind: 'bearer';
      readonly text: string;
      /** The workspace that a member selects: by `X-Workspace-Id`, or by the path. */
      readonly workspaceId?: string | undefined;
    };

type Bearer = Extract<Presented, { kind: 'bearer' }>;

export interface AuthenticatorParts {
  readonly sites: SiteDirectory;
  readonly keys: KeyDirectory;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly members: MemberDirectory;
  readonly runtimeTokens: RuntimeTokens;
  /** Undefined without a configured issuer: every ID token is refused then. */
  readonly idTokens: Pick<IdTokens, 'verify'> | undefined;
  readonly nowMs: () => number;
}

type NotAuthenticated = Extract<Authentication, { ok: false }>;
type Membership = NotAuthenticated | { readonly ok: true; readonly value: MemberCaller };

/** Authenticates callers (interface page, section 2), from memory only. */
export class Authenticator {
  constructor(private readonly parts: AuthenticatorParts) {}

  /** Synchronous except for a token's first use: the hot path does not wait. */
  authenticate(
    presented: Presented,
    origin: string | undefined,
    demand: CredentialDemand,
  ): Authentication | Promise<Authentication> {
    if (presented.kind === 'api-key') return this.byKey(presented, origin, demand);
    if (demand.bearer === null) return fail('credential-kind');
    return demand.bearer === 'id-token'
      ? this.byIdToken(presented, demand)
      : this.byRuntimeToken(presented.text, origin);
  }

  private byRuntimeToken(text: string, origin: string | undefined): Authentication | Promise<Authentication> {
    const { runtimeTokens } = this.parts;
    const claims = runtimeTokens.recall(text);
    if (claims !== undefined) return this.byClaims(claims, origin);
    return runtimeTokens.verify(text).then(async (verified) => {
      if (verified !== undefined) return this.byClaims(verified, origin);
      return this.refusedOf('credential-invalid', await runtimeTokens.siteOfExpired(text));
    });
  }

  private async byIdToken(
    { text, workspaceId }: Bearer,
    { roles, workspace }: CredentialDemand,
  ): Promise<Authentication> {
    const { idTokens } = this.parts;
    if (idTokens === undefined) return fail('credential-invalid');
    const user = await idTokens.verify(text);
    if (!user.ok) return user;
    if (workspace === 'none') return succeed(this.userItself(user.value));
    const caller = this.memberIn(user.value, workspaceId);
    if (!caller.ok) return caller;
    return roles.includes(caller.value.role) ? caller : forbidden('role-forbidden', caller.value.limit);
  }

  /** With the largest limit of its workspaces; a user without one has the default. */
  private userItself(user: User): UserCaller {
    const limits = [...this.parts.members.of(user).values()].map(({ limit }) => limit.perHour);
    // The subject is hashed, because the issuer may use any characters and length.
    const limit = {
      subject: `user:${hash('sha256', user.subject, 'hex')}`,
      perHour: Math.max(DEFAULT_WORKSPACE_HOURLY_LIMIT, ...limits),
    };
    return { kind: 'user', ...user, workspaceId: NO_WORKSPACE, limit };
  }

  /** The user's only workspace, or the selected one (interface page, section 2). */
  private memberIn(user: User, asked: string | undefined): Membership {
    const memberships = this.parts.members.of(user);
    const workspaceId = asked?.toLowerCase() ?? [...memberships.keys()][0];
    if (workspaceId === undefined) return forbidden('membership-missing', this.userItself(user).limit);
    if (asked === undefined && memberships.size > 1) return fail('workspace-missing');
    if (asked !== undefined && !UUID.test(workspaceId)) return fail('workspace-malformed');
    const membership = memberships.get(workspaceId);
    if (membership === undefined) return fail('workspace-unknown');
    if (membership.isSuspended) return fail('credential-invalid');
    const { role, limit } = membership;
    return succeed({ kind: 'member', ...user, workspaceId, role, limit });
  }

  private byKey(
    { text, isInHeader }: Presented & { kind: 'api-key' },
    origin: string | undefined,
    { scope, scopeRefusal, forbidsKeys }: CredentialDemand,
  ): Authentication {
    if (scope === null) return fail('credential-kind');
    const nowMs = this.parts.nowMs();
    const key = this.parts.keys.find(text, nowMs);
    const site = key === undefined ? undefined : this.parts.sites.active(key.siteId);
    if (key === undefined || site === undefined) {
      return this.refusedOf('credential-invalid', this.parts.keys.siteOf(text));
    }
    if (!isInHeader && (origin === undefined || !site.allowedOrigins.has(origin))) {
      return this.refusedOf('credential-invalid', key.siteId);
    }
    if (scope !== 'any' && !key.scopes.has(scope)) {
      return scopeRefusal === 'scope-forbidden'
        ? forbidden(scopeRefusal, key.limit, key.siteId)
        : this.refusedOf(scopeRefusal, key.siteId);
    }
    if (forbidsKeys === true) return forbidden('role-forbidden', key.limit, key.siteId);
    this.parts.keyUses.note(key.keyId, nowMs);
    return succeed(callerOf(key, site, isInHeader ? 'server' : 'browser'));
  }

  /** What belonged to a site that is gone is nobody's. */
  private refusedOf(error: CredentialFault, siteId: string | undefined): NotAuthenticated {
    const site = siteId === undefined ? undefined : this.parts.sites.find(siteId);
    return { ok: false, error, siteId: site?.siteId };
  }

  private byClaims(claims: RuntimeTokenClaims, origin: string | undefined): Authentication {
    const site = this.parts.sites.active(claims.siteId);
    const isBoundHere = origin === claims.origin && site?.allowedOrigins.has(claims.origin) === true;
    if (site === undefined || !isBoundHere) return this.refusedOf('credential-invalid', claims.siteId);
    const { siteId, workspaceId, runtimeLimit } = site;
    return succeed({
      kind: 'site',
      siteId,
      workspaceId,
      keyId: null,
      keyPrefix: null,
      trust: 'browser',
      limit: runtimeLimit,
    });
  }
}

function forbidden(error: CredentialFault, chargedTo: HourlyLimit, siteId?: string): NotAuthenticated {
  return { ok: false, error, chargedTo, siteId };
}

function callerOf(
  { keyId, prefix, limit }: ApiKey,
  { siteId, workspaceId }: Site,
  trust: TrustClass,
): Caller {
  return { kind: 'site', siteId, workspaceId, keyId, keyPrefix: prefix, trust, limit };
}
