import type { Caller } from './caller.js';
import type { SiteDirectory } from './site-directory.js';

/**
 * Why a caller may not access a site's data, or undefined. A key of another site gets 403; a member gets 404,
 * which does not reveal whether another workspace's site exists (interface page, sections 1 and 2).
 */
export function siteRefusal(
  caller: Caller,
  siteId: string,
  sites: SiteDirectory,
): 'site-forbidden' | 'site-unknown' | undefined {
  if (caller.kind === 'site') return caller.siteId === siteId ? undefined : 'site-forbidden';
  return sites.isOf(caller.workspaceId, siteId) ? undefined : 'site-unknown';
}
