import type { ManagementQuery, SiteResource } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import type { Queryable } from '../storage/page.js';
import { findSite } from '../storage/site.store.js';

export async function readSite(client: Queryable, query: ManagementQuery): Promise<Reply<SiteResource>> {
  const site = await findSite(client, query.workspace_id, query.params['site_id']);
  return site === undefined ? refusals.noSite() : { ok: site };
}
