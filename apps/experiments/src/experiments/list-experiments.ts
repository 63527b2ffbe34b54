import type { ExperimentResource } from '@truetally/contracts/experiments';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { pageOfExperiments } from '../storage/experiment.store.js';
import { sitesAskedFor } from '../storage/surroundings.store.js';

/** Of the whole workspace, or of one of its sites; another workspace's site counts as unknown. */
export async function listExperiments(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<ExperimentResource>>> {
  const siteIds = await sitesAskedFor(client, query.workspace_id, query.filters['site_id']);
  return siteIds === undefined ? refusals.noSite() : pageOfExperiments(client, query, siteIds);
}
