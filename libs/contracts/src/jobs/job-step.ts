import { fail, type FieldErrors, type Result, succeed, UUID } from '@truetally/kernel';
import { isJsonObject } from '../validation/shape.js';
import { RecordReader } from '../facts/record-reader.js';

/** One problem with one row of a job. It never contains values. */
export interface JobError {
  /** From 1; null when it concerns no single row. */
  readonly row: number | null;
  /** Path of the field; null when it concerns the whole row. */
  readonly field: string | null;
  readonly message: string;
}

/**
 * `<service>.run-job-step`: one bounded piece of a job, requested by the worker that holds the job. The
 * service keeps its report under job, step and cursor, and repeats it when asked again.
 */
export interface JobStep {
  readonly job_id: string;
  /** Name of the operation in the service: `erase-site`. */
  readonly step: string;
  /** Parameters of the operation: `{ site_id }`. */
  readonly params: Readonly<Record<string, string>>;
  /** The cursor in the report of the previous piece; null for the first piece. */
  readonly cursor: string | null;
}

/** The outcome of one piece. Numbers are of this piece only. */
export interface JobStepReport {
  /** Where the next piece starts; null when nothing is left. */
  readonly cursor: string | null;
  /** Newly found rows. */
  readonly found: number;
  readonly done: number;
  /** Of those done: rows that were stored. */
  readonly stored: number;
  /** Of those done: rows that were refused, each listed in `errors` while there is room. */
  readonly failed: number;
  readonly errors: readonly JobError[];
}

const MAX_CURSOR_CHARACTERS = 1_000;

/** Reads a step; reports every broken rule. */
export function readJobStep(body: unknown): Result<JobStep, FieldErrors> {
  if (!isJsonObject(body)) return fail({ body: ['must be an object'] });
  const { job_id, step, params, cursor } = body;
  const errors: Record<string, string[]> = {};
  if (typeof job_id !== 'string' || !UUID.test(job_id)) errors['job_id'] = ['must be a UUID'];
  if (typeof step !== 'string' || step === '') errors['step'] = ['must be the name of a step'];
  if (!isTexts(params)) errors['params'] = ['must be an object of texts'];
  if (cursor !== null && !(typeof cursor === 'string' && cursor.length <= MAX_CURSOR_CHARACTERS)) {
    errors['cursor'] = ['must be the cursor of a report, or null'];
  }
  if (Object.keys(errors).length > 0) return fail(errors);
  // Each was checked above.
  return succeed({ job_id, step, params, cursor } as JobStep);
}

/** Reads the content of `ok`; never throws. The error names the fields. */
export function parseJobStepReport(ok: unknown): Result<JobStepReport, string> {
  const reader = RecordReader.from(ok);
  if (reader === undefined) return fail('not an object');
  const report: JobStepReport = {
    cursor: reader.textOrNull('cursor'),
    found: reader.integer('found'),
    done: reader.integer('done'),
    stored: reader.integer('stored'),
    failed: reader.integer('failed'),
    errors: reader.list('errors', readJobError),
  };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(report) : fail(`unreadable: ${faults.join(', ')}`);
}

function readJobError(value: unknown): JobError | undefined {
  if (!isJsonObject(value)) return undefined;
  const { row, field, message } = value;
  if (typeof message !== 'string') return undefined;
  if (row !== null && !(typeof row === 'number' && Number.isSafeInteger(row))) return undefined;
  if (field !== null && typeof field !== 'string') return undefined;
  return { row, field, message };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');
}
