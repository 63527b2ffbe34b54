export {
  ERASE_PERSON,
  type ErasePerson,
  erasePersonOf,
  type PersonSubjects,
  SUBJECTS_PER_STEP,
} from './erase-person.js';
export { ERASE_SITE, type EraseSite, eraseSiteOf } from './erase-site.js';
export {
  JOB_FILTERS,
  JOB_STATES,
  JobErrorResource,
  JobResource,
  RunJob,
  type JobState,
  JobSummary,
  MAX_JOB_ERRORS,
  StartedJob,
} from './job-resource.js';
export { JobStep, JobStepReport, MAX_CURSOR_LENGTH } from './job-step.js';
