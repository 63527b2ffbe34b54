import { tableOf } from '@truetally/persistence';
import type { QueryResultRow } from 'pg';
import type { Job, JobParams } from '../domain/job.js';
import type { JobProgress } from '../domain/job-steps.js';

/** Without the times and the owner of its lease, which only SQL uses. */
interface JobRecord extends Omit<Job, 'startedBy'>, JobProgress {
  readonly params: JobParams;
  readonly cursor: string | null;
  readonly attempts: number;
  readonly lease: string | null;
  readonly startedBySub: string | null;
  readonly startedByKey: string | null;
}

export const JOBS = tableOf<JobRecord>('jobs', 'jobId', {
  jobId: ['job_id', 'uuid'],
  workspaceId: ['workspace_id', 'uuid'],
  type: 'text',
  params: 'jsonb',
  state: 'text',
  total: 'count',
  done: 'count',
  stored: 'count',
  failed: 'count',
  errors: 'jsonb',
  step: 'text',
  doneSteps: ['done_steps', 'text[]'],
  plannedSteps: ['planned_steps', 'text[]'],
  cursor: 'text',
  attempts: 'integer',
  lease: 'uuid',
  siteId: ['site_id', 'uuid'],
  startedByName: ['started_by', 'text'],
  startedBySub: ['started_by_sub', 'text'],
  startedByKey: ['started_by_key', 'uuid'],
  createdAtMs: ['created_at', 'milliseconds'],
  finishedAtMs: ['finished_at', 'milliseconds'],
});
const PROGRESS = JOBS.without('params', 'step', 'doneSteps', 'plannedSteps', 'cursor', 'attempts', 'lease');

/** To select rows for `toJob`. */
export const JOB_SELECTION = PROGRESS.selection();

export function toJob(row: QueryResultRow): Job {
  const { startedBySub: sub, startedByKey: key_id, ...job } = PROGRESS.read(row);
  return { ...job, startedBy: { sub, key_id } };
}
