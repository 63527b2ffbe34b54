import { fail, type Failure, failure, type Result, succeed, UUID } from '@truetally/kernel';
import type { JobStep } from './job-step.js';

/** The step that deletes a service's data of a deleted site; its params are `{ site_id }`. */
export const ERASE_SITE = 'erase-site';

/** A validated step of an erasure: which site, and from which cursor (null: from the beginning). */
export interface EraseSite {
  /** Name of this piece: the same in every repetition. */
  readonly name: string;
  readonly siteId: string;
  readonly cursor: string | null;
}

/** Judges a job step for a service whose only step is this one; a failure is its reply. */
export function eraseSiteOf(asked: JobStep): Result<EraseSite, Failure> {
  const { step, params, cursor } = asked;
  // From a newer version than this replica: a replica that is updated can do it.
  if (step !== ERASE_SITE) return fail(failure('UNAVAILABLE', `The step ${step} is not known here.`).error);
  const siteId = params['site_id'];
  if (siteId === undefined || !UUID.test(siteId)) {
    return fail(
      failure('VALIDATION_ERROR', 'The step breaks a rule.', { 'params.site_id': ['must be a UUID'] }).error,
    );
  }
  return succeed({ name: nameOf(asked, siteId), siteId, cursor });
}

/** With the site, because one job may erase several. */
function nameOf({ job_id, step, cursor }: JobStep, siteId: string): string {
  return `${job_id}/${step}/${siteId}/${cursor ?? ''}`;
}
