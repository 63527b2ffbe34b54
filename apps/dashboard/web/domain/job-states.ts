import type { JobSummary } from '@truetally/node';

export const JOB_STATES: readonly JobSummary['state'][] = [
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
];
