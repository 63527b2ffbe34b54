import type { MemberRole, TrustClass } from '@truetally/contracts';

/** Who an authenticated request speaks for, and what its requests are counted against. */
export type Caller = SiteCaller | MemberCaller;

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

export interface HourlyLimit {
  /** `key:<limit id>`, `site:<site id>` or `workspace:<workspace id>`: one counter per subject and UTC hour. */
  readonly subject: string;
  readonly perHour: number;
}
