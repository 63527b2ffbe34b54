import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Queryable, WrittenReply } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { pageOfProfiles } from '../storage/profile.store.js';
import { sitesAskedFor } from '../storage/site.store.js';

export async function listProfiles(client: Queryable, query: ResourceQuery): Promise<WrittenReply> {
  const siteIds = await sitesAskedFor(client, query);
  return siteIds === undefined ? refusals.noSite() : pageOfProfiles(client, query, siteIds);
}
