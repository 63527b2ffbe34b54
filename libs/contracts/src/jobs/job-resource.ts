import { type JobError } from './job-step.js';

export const JOB_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Errors that a job keeps; further ones are only counted. */
export const MAX_JOB_ERRORS = 1_000;

/** `GET /jobs/{job_id}` (interface page, section 9). */
export interface JobResource {
  readonly job_id: string;
  /** `site.delete`, `workspace.delete`. */
  readonly type: string;
  readonly state: JobState;
  /** Rows found so far; when the job is finished, all of them. */
  readonly total: number;
  readonly done: number;
  /** Of those done: rows that were stored. */
  readonly stored: number;
  /** Of those done: rows that were refused. */
  readonly failed: number;
  /** The first 1,000. */
  readonly errors: readonly JobError[];
  /** ISO 8601 UTC with milliseconds. */
  readonly created_at: string;
  /** Null until the job is finished. */
  readonly finished_at: string | null;
}
