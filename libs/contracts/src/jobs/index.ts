export { ERASE_SITE, type EraseSite, readEraseSite } from './erase-site.js';
export { JOB_STATES, JobResource, type JobState, MAX_JOB_ERRORS } from './job-resource.js';
export {
  type JobError,
  type JobStep,
  type JobStepReport,
  parseJobStepReport,
  readJobStep,
} from './job-step.js';
