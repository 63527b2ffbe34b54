import type { MemberRole, TrustClass } from '@truetally/contracts';

/** Who an authenticated request speaks for, and what its requests are counted against. */
export type Caller = SiteCaller | MemberCaller | UserCaller;

/** A site's backend or page. */
export interface SiteCaller {
  readonly kind: 'site';
  readonly siteId: string;
  readonly workspaceId: string;
  /** Of the API key; null for a page's runtime token. */
  readonly keyId: string | null;
  /** `server` for an API key in its header, `browser` for everything else (interface page, section 2). */
  readonly trust: TrustClass;
  readonly limit: HourlyLimit;
}

/** A user in one of its workspaces. */
export interface MemberCaller {
  readonly kind: 'member';
  readonly workspaceId: string;
  readonly subject: string;
  readonly role: MemberRole;
  readonly limit: HourlyLimit;
}

/** A user on a route that is no workspace's: what it asks for says whose it is. */
export interface UserCaller {
  readonly kind: 'user';
  readonly subject: string;
  readonly limit: HourlyLimit;
}

export interface HourlyLimit {
  /** `key:<limit id>`, `site:<site id>`, `workspace:<workspace id>` or `user:<sub>`: one counter per subject and UTC hour. */
  readonly subject: string;
  readonly perHour: number;
}
