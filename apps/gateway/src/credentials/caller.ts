import type { TrustClass } from '@truetally/contracts/credentials';
import type { MemberRole } from '@truetally/contracts/facts';
import type { HourlyLimit } from '../limits/hourly-limit.js';

/** The identity of an authenticated request, and its limit. */
export type Caller = SiteCaller | MemberCaller | UserCaller;

/** Any caller that a route may have admitted. */
export type AnyCaller = Caller | PlatformCaller;

/** A site's backend or page. */
export interface SiteCaller {
  readonly kind: 'site';
  readonly siteId: string;
  readonly workspaceId: string;
  /** Of the API key; null for a page's runtime token. */
  readonly keyId: string | null;
  /** The API key's name in logs and answers; null for a page's runtime token. */
  readonly keyPrefix: string | null;
  /** `server` for an API key in its header, `browser` for everything else (interface page, section 2). */
  readonly trust: TrustClass;
  readonly limit: HourlyLimit;
}

/** A user, as the identity provider names it. */
export interface User {
  readonly subject: string;
  /** In lower case; null when the issuer has not verified it. */
  readonly email: string | null;
  /** `exp` of the ID token, epoch milliseconds. */
  readonly tokenExpiresAtMs: number;
}

/** A user in one of its workspaces. */
export interface MemberCaller extends User {
  readonly kind: 'member';
  readonly workspaceId: string;
  readonly role: MemberRole;
  readonly limit: HourlyLimit;
}

/** A user on a route without a workspace; it may be a member of none. */
export interface UserCaller extends User {
  readonly kind: 'user';
  /** Always `NO_WORKSPACE`. */
  readonly workspaceId: string;
  readonly limit: HourlyLimit;
}

/** The platform itself, on its admin routes; it has no limit. */
export interface PlatformCaller {
  readonly kind: 'platform';
  /** The workspace in the path. */
  readonly workspaceId: string;
  readonly limit: null;
}
