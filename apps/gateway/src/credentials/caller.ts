import type { TrustClass } from '@truetally/contracts';

/** Who an authenticated request speaks for, and what its requests are counted against. */
export interface Caller {
  readonly siteId: string;
  /** `server` for an API key in its header, `browser` for everything else (interface page, section 2). */
  readonly trust: TrustClass;
  readonly limit: HourlyLimit;
}

export interface HourlyLimit {
  /** `key:<limit id>` or `site:<site id>`: one counter per subject and UTC hour. */
  readonly subject: string;
  readonly perHour: number;
}
