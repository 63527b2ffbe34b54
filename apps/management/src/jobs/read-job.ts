import type { JobResource } from '@truetally/contracts/jobs';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { type Queryable, paramOf } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { presentJob } from '../domain/job.js';
import { EVERY_JOB } from './every-job.js';
import { findJob } from '../storage/job.store.js';
import { standingOf } from './standing.js';

/** Members of a job's workspace and its starter can see it; for others it does not exist. */
export async function readJob(client: Queryable, query: ResourceQuery): Promise<Reply<JobResource>> {
  const job = await findJob(client, paramOf(query.params, 'job_id'));
  if (job === undefined || (await standingOf(client, job, query.actor)) === undefined)
    return refusals.noJob();
  return { ok: presentJob(job, EVERY_JOB[job.type]?.isCancellable === true) };
}
