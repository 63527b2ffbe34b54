import type { JobError, JobResource, JobState } from '@truetally/contracts/jobs';
import type { Actor } from '@truetally/contracts/resource';
import { formatInstant } from '@truetally/kernel';

/** What a job works on, as its kind wants it. */
export type JobParams = Readonly<Record<string, unknown>>;

/** Something that takes longer than a request, done piece by piece by whichever replica holds its lease. */
export interface Job {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly type: string;
  readonly state: JobState;
  readonly total: number;
  readonly done: number;
  readonly stored: number;
  readonly failed: number;
  readonly errors: readonly JobError[];
  readonly startedBy: Pick<Actor, 'key_id' | 'sub'>;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
}

/** A job that begins. */
export interface NewJob extends Pick<Job, 'createdAtMs' | 'jobId' | 'startedBy' | 'type' | 'workspaceId'> {
  readonly params: JobParams;
}

/** The resource as answers carry it (interface, section 9). */
export function presentJob(job: Job): JobResource {
  const { jobId, type, state, total, done, stored, failed, errors, createdAtMs, finishedAtMs } = job;
  return {
    job_id: jobId,
    type,
    state,
    total,
    done,
    stored,
    failed,
    errors,
    created_at: formatInstant(createdAtMs),
    finished_at: finishedAtMs === null ? null : formatInstant(finishedAtMs),
  };
}

export function isFinished({ state }: Pick<Job, 'state'>): boolean {
  return state !== 'queued' && state !== 'running';
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** How long a job waits after so many attempts in a row that came to nothing. */
export function retryDelayMs(attempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts, 10), LONGEST_RETRY_MS);
}
