import {
  Flag,
  Matching,
  NestedList,
  NonEmptyText,
  OneOf,
  OrNull,
  Timestamp,
  WholeNumber,
} from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { identifier, matching, oneOf } from '../validation/rules.js';

const ROWS = { min: 0, max: Number.MAX_SAFE_INTEGER };
const TYPE = { max: 100 };
const ACTOR = { max: 300 };
const FIELD = { max: 300 };
const MESSAGE = { max: 2_000 };

/** States of a job; the last three are final. */
export const JOB_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
/** One of `JOB_STATES`. */
export type JobState = (typeof JOB_STATES)[number];

/** Errors that a job keeps; further ones are only counted. */
export const MAX_JOB_ERRORS = 1_000;

/** One problem with one row of a job. It never contains values. */
export class JobErrorResource {
  /** From 1; null when it concerns no single row. */
  @OrNull() @WholeNumber(ROWS) readonly row!: number | null;
  /** Path of the field; null when it concerns the whole row. */
  @OrNull() @NonEmptyText(FIELD) readonly field!: string | null;
  @NonEmptyText(MESSAGE) readonly message!: string;
}

/** An item of `GET /jobs` (interface page, section 9). */
export class JobSummary {
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
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly created_at!: string;
  /** Null until the job is finished. */
  @OrNull() @Timestamp() readonly finished_at!: string | null;
  /** Null for a job of a whole workspace. */
  @OrNull() @Matching(UUID, UUID_FORM) readonly site_id!: string | null;
  /** As the audit log names an actor, `worker` for a worker's message; null for the platform's own schedule. */
  @OrNull() @NonEmptyText(ACTOR) readonly started_by!: string | null;
  /** Whether `POST /jobs/{job_id}/cancel` would be taken now. */
  @Flag() readonly cancellable!: boolean;
}

/** `GET /jobs/{job_id}` (interface page, section 9). */
export class JobResource extends JobSummary {
  /** The first 1,000. */
  @NestedList(() => JobErrorResource, { min: 0, max: MAX_JOB_ERRORS })
  readonly errors!: readonly JobErrorResource[];
}

/** `management.run-job`: there is a new job. Nobody waits for its reply. */
export class RunJob {
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
}

/** The answer to a request that starts a job. */
export class StartedJob {
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
}

/** Filters of a list of jobs. */
export const JOB_FILTERS = {
  type: identifier(TYPE),
  state: oneOf(JOB_STATES),
  site_id: matching(UUID, UUID_FORM),
} as const;
