import {
  ListOf,
  MapOf,
  Matching,
  NestedList,
  NonEmptyText,
  OrAbsent,
  OrNull,
  Text,
  WholeNumber,
} from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';
import { nonEmptyText, text } from '../validation/rules.js';
import { JobErrorResource } from './job-resource.js';

const NAME = { max: 300 };
/** Characters of a step's position. */
export const MAX_CURSOR_LENGTH = 1_000;
const CURSOR = { max: MAX_CURSOR_LENGTH };
/** Room for the subjects of a person. */
const VALUE = { max: 200_000 };
const SUBJECT = { max: 300 };
const SUBJECTS = { min: 0, max: 1_000_000 };
const ERRORS = { min: 0, max: 1_000_000 };

/**
 * `<service>.run-job-step`: one bounded piece of a job, requested by the worker that holds the job. The
 * service keeps its report under job, step and cursor, and repeats it when asked again.
 */
export class JobStep {
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
  /** Name of the operation in the service: `erase-site`. */
  @NonEmptyText(NAME) readonly step!: string;
  /** Parameters of the operation: `{ site_id }`. */
  @MapOf(text(VALUE)) readonly params!: Readonly<Record<string, string>>;
  /** The cursor in the report of the previous piece; null for the first piece. */
  @OrNull() @Text(CURSOR) readonly cursor!: string | null;
}

/** The outcome of one piece. Numbers are of this piece only. */
export class JobStepReport {
  /** Where the next piece starts; null when nothing is left. */
  @OrNull() @Text(CURSOR) readonly cursor!: string | null;
  /** Newly found rows. */
  @WholeNumber(COUNT) readonly found!: number;
  @WholeNumber(COUNT) readonly done!: number;
  /** Of those done: rows that were stored. */
  @WholeNumber(COUNT) readonly stored!: number;
  /** Of those done: rows that were refused, each listed in `errors` while there is room. */
  @WholeNumber(COUNT) readonly failed!: number;
  @NestedList(() => JobErrorResource, ERRORS) readonly errors!: readonly JobErrorResource[];
  /** Nothing was done, as there is no place for it, or something must come first: when to ask again. Waiting is no failed attempt. */
  @OrAbsent() @WholeNumber(COUNT) readonly again_in_ms?: number;
  /** Of a person's erasure: sessions and clicks by which other services know the person. */
  @OrAbsent() @ListOf(nonEmptyText(SUBJECT), SUBJECTS) readonly subjects?: readonly string[];
}
