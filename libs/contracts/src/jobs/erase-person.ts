import { fail, type Failure, failure, type FieldErrors, type Result, succeed, UUID } from '@truetally/kernel';
import type { JobStep } from './job-step.js';

/**
 * The step that deletes what names a person in a service. Its params are `{ erasure_id, site_id }`, with `user_id` for a
 * service that knows people by their ids, and `subjects` for one that knows them by sessions and clicks alone.
 */
export const ERASE_PERSON = 'erase-person';

/** What leads to a person where their id is not stored: `session:<id>` and `event:<id>`, the event being a click. */
export interface PersonSubjects {
  readonly sessionIds: readonly string[];
  readonly eventIds: readonly string[];
}

/** A validated step of an erasure, from a cursor (null: from the beginning). */
export interface ErasePerson {
  /** Name of this piece: the same in every repetition. */
  readonly name: string;
  readonly jobId: string;
  readonly erasureId: string;
  readonly siteId: string;
  readonly cursor: string | null;
  /** Null in a service that is asked by subjects. */
  readonly userId: string | null;
  readonly subjects: PersonSubjects;
}

/** Of one step: bounds its message and its transaction. */
export const SUBJECTS_PER_STEP = 500;
const SESSION = 'session:';
const EVENT = 'event:';

/** Judges a job step of this name; a failure is its reply. */
export function erasePersonOf({
  job_id: jobId,
  step,
  params,
  cursor,
}: JobStep): Result<ErasePerson, Failure> {
  const { erasure_id: erasureId = '', site_id: siteId = '', user_id: userId = null } = params;
  const subjects = readSubjects(params['subjects'] ?? '[]');
  const faults: Record<string, string[]> = {};
  if (!UUID.test(erasureId)) faults['params.erasure_id'] = ['must be a UUID'];
  if (!UUID.test(siteId)) faults['params.site_id'] = ['must be a UUID'];
  if (subjects === undefined) faults['params.subjects'] = ['must be a list of sessions and events as JSON'];
  if (subjects === undefined || Object.keys(faults).length > 0) return refused(faults);
  const name = `${jobId}/${step}/${cursor ?? ''}`;
  return succeed({ name, jobId, erasureId, siteId, cursor, userId, subjects });
}

function refused(errors: FieldErrors) {
  return fail(failure('VALIDATION_ERROR', 'The step breaks a rule.', errors).error);
}

function readSubjects(text: string): PersonSubjects | undefined {
  const list = parsed(text);
  if (!Array.isArray(list) || list.length > SUBJECTS_PER_STEP) return undefined;
  const texts = list.filter((one): one is string => typeof one === 'string');
  if (texts.length !== list.length) return undefined;
  const after = (prefix: string): readonly string[] =>
    texts.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  const subjects = { sessionIds: after(SESSION), eventIds: after(EVENT).filter((id) => UUID.test(id)) };
  return subjects;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
