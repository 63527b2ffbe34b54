import type { Caller } from './caller.js';
import type { SiteDirectory } from './site-directory.js';

/**
 * Why a caller may not see or change what belongs to a site, or undefined. A key knows that it is of another site
 * (403); a member is not told whether a site of another workspace exists (404) (interface page, sections 1 and 2).
 */
export function siteRefusal(
  caller: Caller,
  siteId: string,
  sites: SiteDirectory,
): 'site-forbidden' | 'site-unknown' | undefined {
  if (caller.kind === 'site') return caller.siteId === siteId ? undefined : 'site-forbidden';
  return sites.isOf(caller.workspaceId, siteId) ? undefined : 'site-unknown';
}
