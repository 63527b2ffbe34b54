import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { sitesAskedFor } from '../storage/site.store.js';
import { fieldsOfSubmissions } from '../storage/submission.store.js';

/** The names of the fields that submissions have: the columns of their export. */
export async function listSubmissionFields(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<{ readonly fields: readonly string[] }>> {
  const siteIds = await sitesAskedFor(client, query);
  if (siteIds === undefined) return refusals.noSite();
  return { ok: { fields: await fieldsOfSubmissions(client, query, siteIds) } };
}
