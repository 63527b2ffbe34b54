import type { Scope } from '@truetally/contracts/credentials';
import type { MemberRole } from '@truetally/contracts/facts';

/** Rules of routes whose caller acts for a site or a workspace; `CREDENTIAL_DEMANDS` defines each. */
export type CallerRule =
  | 'event-writer'
  | 'event-writer-or-beacon'
  | 'touch-writer-or-beacon'
  | 'conversion-writer'
  | 'profile-importer'
  | 'attribution-reader'
  | 'analytics-reader'
  | 'catalogue-writer'
  | 'commission-rule-writer'
  | 'job-follower'
  | 'storefront-reader'
  | 'management-reader'
  | 'management-writer'
  | 'management-owner'
  | 'owner-alone'
  | 'user'
  | 'workspace-member'
  | 'workspace-writer'
  | 'workspace-owner';

/** A rule's requirements for its caller's credential. */
export interface CredentialDemand {
  /** The required scope of an API key, or `any`; null where no API key is accepted. */
  readonly scope: Scope | 'any' | null;
  /** Whether a known key is still refused: 403, because keys are not owners. */
  readonly forbidsKeys?: true;
  /** A key without the scope: 401 on event routes (given), 403 elsewhere (interface page, section 2). */
  readonly scopeRefusal: 'scope-missing' | 'scope-forbidden';
  /**
   * The kind of bearer token: no route accepts both kinds, and the other one gets 401; null where none is
   * accepted.
   */
  readonly bearer: 'runtime-token' | 'id-token' | null;
  /** The roles that may use the route; empty where no ID token is accepted. */
  readonly roles: readonly MemberRole[];
  /** The member's workspace: selected, from the path, or none, which admits any user. */
  readonly workspace: 'picked' | 'of-path' | 'none';
  /** Whether a page's beacon may have its credential in the body. */
  readonly takesBeacon: boolean;
}

const EVERYBODY: readonly MemberRole[] = ['owner', 'admin', 'analyst'];
const WRITERS: readonly MemberRole[] = ['owner', 'admin'];
const OWNERS: readonly MemberRole[] = ['owner'];

const EVENT_WRITER: CredentialDemand = {
  scope: 'events:write',
  scopeRefusal: 'scope-missing',
  bearer: 'runtime-token',
  roles: [],
  workspace: 'picked',
  takesBeacon: false,
};
const TRUSTED_BACKEND = {
  scopeRefusal: 'scope-forbidden',
  bearer: null,
  roles: [],
  workspace: 'picked',
  takesBeacon: false,
} as const;

const MEMBERS_ONLY = {
  scope: null,
  scopeRefusal: 'scope-forbidden',
  bearer: 'id-token',
  workspace: 'picked',
  takesBeacon: false,
} as const;
const OF_PATH = { ...MEMBERS_ONLY, workspace: 'of-path' } as const;

/** Every rule with the scope, the kind of token and the roles that it accepts. */
export const CREDENTIAL_DEMANDS: Readonly<Record<CallerRule, CredentialDemand>> = {
  'event-writer': EVENT_WRITER,
  'event-writer-or-beacon': { ...EVENT_WRITER, takesBeacon: true },
  'touch-writer-or-beacon': {
    scope: null,
    scopeRefusal: 'scope-forbidden',
    bearer: 'runtime-token',
    roles: [],
    workspace: 'picked',
    takesBeacon: true,
  },
  'storefront-reader': {
    scope: null,
    scopeRefusal: 'scope-forbidden',
    bearer: 'runtime-token',
    roles: [],
    workspace: 'picked',
    takesBeacon: false,
  },
  'conversion-writer': { ...TRUSTED_BACKEND, scope: 'partner_attribution:convert' },
  'profile-importer': { ...TRUSTED_BACKEND, scope: 'profiles:import' },
  'attribution-reader': {
    ...TRUSTED_BACKEND,
    scope: 'partner_attribution:read',
    bearer: 'id-token',
    roles: EVERYBODY,
  },
  'analytics-reader': {
    ...TRUSTED_BACKEND,
    scope: 'analytics:read',
    bearer: 'id-token',
    roles: EVERYBODY,
  },
  'job-follower': {
    ...TRUSTED_BACKEND,
    scope: 'any',
    bearer: 'id-token',
    roles: EVERYBODY,
    workspace: 'none',
  },
  'management-reader': { ...MEMBERS_ONLY, roles: EVERYBODY },
  'management-writer': { ...MEMBERS_ONLY, roles: WRITERS },
  'catalogue-writer': {
    ...TRUSTED_BACKEND,
    scope: 'commerce:write',
    bearer: 'id-token',
    roles: WRITERS,
  },
  'management-owner': { ...MEMBERS_ONLY, roles: OWNERS },
  'owner-alone': { ...MEMBERS_ONLY, scope: 'any', forbidsKeys: true, roles: OWNERS },
  user: { ...MEMBERS_ONLY, roles: EVERYBODY, workspace: 'none' },
  'workspace-member': { ...OF_PATH, roles: EVERYBODY },
  'workspace-writer': { ...OF_PATH, roles: WRITERS },
  'workspace-owner': { ...OF_PATH, roles: OWNERS },
  'commission-rule-writer': {
    ...TRUSTED_BACKEND,
    scope: 'partner_attribution:convert',
    bearer: 'id-token',
    roles: WRITERS,
  },
};
