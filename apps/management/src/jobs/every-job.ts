import { DELETIONS } from './deletions.js';
import type { JobKinds } from './job-kinds.js';
import { SETTLEMENT_JOBS } from './settlement-jobs.js';

/** Every kind of job, by type. */
export const EVERY_JOB: JobKinds = { ...DELETIONS, ...SETTLEMENT_JOBS };
