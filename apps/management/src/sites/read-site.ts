import type { SiteResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { type Queryable, paramOf } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findSite } from '../storage/site.store.js';

export async function readSite(client: Queryable, query: ResourceQuery): Promise<Reply<SiteResource>> {
  const site = await findSite(client, query.workspace_id, paramOf(query.params, 'site_id'));
  return site === undefined ? refusals.noSite() : { ok: site };
}
