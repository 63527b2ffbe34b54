import type { ResourceCommand } from '@truetally/contracts/resource';
import { type CommandContext, type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { isFinished, type Job, presentJob } from '../domain/job.js';
import { refusals } from '../domain/refusals.js';
import { cancelJob as storeCancelled, lockJob } from '../storage/job.store.js';
import type { JobKinds } from './job-kinds.js';
import { standingOf } from './standing.js';

/** Ends a job: finished work stays. A piece that is under way in another service ends, and is counted then. */
export async function cancelJob(
  client: ClientBase,
  { params, actor }: ResourceCommand,
  { nowMs }: CommandContext,
  kinds: JobKinds,
): Promise<Outcome> {
  const job = await lockJob(client, paramOf(params, 'job_id'));
  const standing = job === undefined ? undefined : await standingOf(client, job, actor);
  if (job === undefined || standing === undefined) return refusals.noJob();
  if (standing === 'analyst') return refusals.roleForbidden();
  if (isFinished(job)) return refusals.jobFinished(job.state);
  if (kinds[job.type]?.isCancellable !== true) return refusals.notCancellable();
  await storeCancelled(client, job.jobId, nowMs);
  const cancelled: Job = { ...job, state: 'cancelled', finishedAtMs: nowMs };
  return {
    ok: presentJob(cancelled, true),
    audit: { action: 'cancel', resource: 'job', resourceId: job.jobId, workspaceId: job.workspaceId },
  };
}
