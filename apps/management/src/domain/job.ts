import type { JobErrorResource, JobResource, JobState, JobSummary } from '@truetally/contracts/jobs';
import type { Actor } from '@truetally/contracts/resource';
import { formatInstant } from '@truetally/kernel';

/** Parameters of a job; its kind defines them. */
export type JobParams = Readonly<Record<string, unknown>>;

/** Work that takes longer than a request, done in pieces by the replica that holds its lease. */
export interface Job {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly type: string;
  readonly state: JobState;
  readonly total: number;
  readonly done: number;
  readonly stored: number;
  readonly failed: number;
  readonly errors: readonly JobErrorResource[];
  /** Null for a job of a whole workspace. */
  readonly siteId: string | null;
  readonly startedBy: Pick<Actor, 'key_id' | 'sub'>;
  /** As the audit log names the actor, `worker` for a worker's message, null for the platform itself. */
  readonly startedByName: string | null;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
}

/** A new job. */
export interface NewJob extends Pick<
  Job,
  'createdAtMs' | 'jobId' | 'siteId' | 'startedBy' | 'startedByName' | 'total' | 'type' | 'workspaceId'
> {
  readonly params: JobParams;
}

/** The resource in answers (interface page, section 9). */
export function presentJob(job: Job, isCancellable: boolean): JobResource {
  return { ...summarizeJob(job, isCancellable), errors: job.errors };
}

/** The same in a list. @param isCancellable whether its kind can be cancelled */
export function summarizeJob(job: Job, isCancellable: boolean): JobSummary {
  const { jobId, type, state, total, done, stored, failed, createdAtMs, finishedAtMs } = job;
  return {
    job_id: jobId,
    type,
    state,
    total,
    done,
    stored,
    failed,
    created_at: formatInstant(createdAtMs),
    finished_at: finishedAtMs === null ? null : formatInstant(finishedAtMs),
    site_id: job.siteId,
    started_by: job.startedByName,
    cancellable: isCancellable && !isFinished(job),
  };
}

export function isFinished({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** Delay of a job after so many failed attempts in a row. */
export function retryDelayMs(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts, 10), LONGEST_RETRY_MS);
}
