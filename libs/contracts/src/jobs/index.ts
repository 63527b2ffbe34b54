export { ERASE_SITE, type EraseSite, readEraseSite } from './erase-site.js';
export {
  JOB_STATES,
  JobErrorResource,
  JobResource,
  type JobState,
  MAX_JOB_ERRORS,
  StartedJob,
} from './job-resource.js';
export {
  type JobError,
  type JobStep,
  type JobStepReport,
  parseJobStepReport,
  readJobStep,
} from './job-step.js';
