import { DELETIONS } from './deletions.js';
import type { JobKinds } from './job-kinds.js';
import { LEDGER_JOBS } from '../ledger-verification/ledger-jobs.js';
import { ERASURE_JOBS } from '../erasures/erasure-jobs.js';
import { FEED_JOBS } from '../feeds/feed-jobs.js';
import { PROFILE_JOBS } from '../profiles/profile-jobs.js';
import { SETTLEMENT_JOBS } from './settlement-jobs.js';
import { WORKFLOW_JOBS } from './workflow-jobs.js';

/** Every kind of job, by type. */
export const EVERY_JOB: JobKinds = {
  ...DELETIONS,
  ...SETTLEMENT_JOBS,
  ...WORKFLOW_JOBS,
  ...LEDGER_JOBS,
  ...PROFILE_JOBS,
  ...ERASURE_JOBS,
  ...FEED_JOBS,
};
