import {
  Matching,
  NestedList,
  NonEmptyText,
  OneOf,
  OrNull,
  Timestamp,
  WholeNumber,
} from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { type JobError } from './job-step.js';

const ROWS = { min: 0, max: Number.MAX_SAFE_INTEGER };
const TYPE = { max: 100 };
const FIELD = { max: 300 };
const MESSAGE = { max: 2_000 };

/** States of a job; the last three are final. */
export const JOB_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
/** One of `JOB_STATES`. */
export type JobState = (typeof JOB_STATES)[number];

/** Errors that a job keeps; further ones are only counted. */
export const MAX_JOB_ERRORS = 1_000;

/** A problem with one row of a job, as clients read it. */
export class JobErrorResource implements JobError {
  @OrNull() @WholeNumber(ROWS) readonly row!: number | null;
  @OrNull() @NonEmptyText(FIELD) readonly field!: string | null;
  @NonEmptyText(MESSAGE) readonly message!: string;
}

/** `GET /jobs/{job_id}` (interface page, section 9). */
export class JobResource {
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
  /** `site.delete`, `workspace.delete`. */
  @NonEmptyText(TYPE) readonly type!: string;
  @OneOf(JOB_STATES) readonly state!: JobState;
  /** Rows found so far; when the job is finished, all of them. */
  @WholeNumber(ROWS) readonly total!: number;
  @WholeNumber(ROWS) readonly done!: number;
  /** Of those done: rows that were stored. */
  @WholeNumber(ROWS) readonly stored!: number;
  /** Of those done: rows that were refused. */
  @WholeNumber(ROWS) readonly failed!: number;
  /** The first 1,000. */
  @NestedList(() => JobErrorResource, { min: 0, max: MAX_JOB_ERRORS }) readonly errors!: readonly JobError[];
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly created_at!: string;
  /** Null until the job is finished. */
  @OrNull() @Timestamp() readonly finished_at!: string | null;
}

/** The answer to a request that starts a job. */
export class StartedJob {
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
}
