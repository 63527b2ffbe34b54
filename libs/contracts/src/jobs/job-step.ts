import { fail, type FieldErrors, type Result, succeed, UUID } from '@truetally/kernel';
import { isJsonObject } from '../validation/shape.js';
import { RecordReader } from '../facts/record-reader.js';

/** One problem with one row of what a job works on. Values are never repeated. */
export interface JobError {
  /** From 1; null when it concerns no row. */
  readonly row: number | null;
  /** Path of the field; null when it concerns the whole row. */
  readonly field: string | null;
  readonly message: string;
}

/**
 * `<service>.run-job-step`: one bounded piece of a job, asked for by the worker that holds the job. A service remembers
 * its report under job, step and cursor, and gives the same one when it is asked again.
 */
export interface JobStep {
  readonly job_id: string;
  /** What to do, a name that the service knows: `erase-site`. */
  readonly step: string;
  /** What to do it with: `{ site_id }`. */
  readonly params: Readonly<Record<string, string>>;
  /** Where the report of the piece before said to go on; null at the beginning. */
  readonly cursor: string | null;
}

/** What one piece did. Numbers are those of this piece alone. */
export interface JobStepReport {
  /** Where to go on; null when nothing is left. */
  readonly cursor: string | null;
  /** Rows to be done that nobody had counted before. */
  readonly found: number;
  readonly done: number;
  /** Of those done: rows that are kept now. */
  readonly stored: number;
  /** Of those done: rows that were refused, each named in `errors` as long as there is room. */
  readonly failed: number;
  readonly errors: readonly JobError[];
}

const MAX_CURSOR_CHARACTERS = 1_000;

/** Reads a step; every broken rule is named at once. */
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
  // Each was looked at above.
  return succeed({ job_id, step, params, cursor } as JobStep);
}

/** Reads what a service replied under `ok`; never throws. The error names the fields. */
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
