import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Queryable, WrittenReply } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { sitesAskedFor } from '../storage/site.store.js';
import { pageOfSubmissions } from '../storage/submission.store.js';

export async function listSubmissions(client: Queryable, query: ResourceQuery): Promise<WrittenReply> {
  const siteIds = await sitesAskedFor(client, query);
  return siteIds === undefined ? refusals.noSite() : pageOfSubmissions(client, query, siteIds);
}
