import type { JobResource } from '@truetally/contracts/jobs';
import { PROFILES_IMPORT } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { paramOf, type Queryable } from '@truetally/resource';
import { presentJob } from '../domain/job.js';
import { refusals } from '../domain/refusals.js';
import { findJob } from '../storage/job.store.js';

/** The progress of an import, for any key of its site with the scope. */
export async function readProfilesImport(
  client: Queryable,
  { params, filters, workspace_id: workspaceId }: ResourceQuery,
): Promise<Reply<JobResource>> {
  const job = await findJob(client, paramOf(params, 'job_id'));
  const isAsked =
    job?.type === PROFILES_IMPORT && job.siteId === filters['site_id'] && job.workspaceId === workspaceId;
  return job !== undefined && isAsked ? { ok: presentJob(job, true) } : refusals.noJob();
}
