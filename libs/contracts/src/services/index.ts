export { ACCESS, type ServiceAccess } from './access.js';
export { REPEATED_TOPICS } from './repeated-topics.js';
export {
  ALL_TOPICS,
  JOB_STEP_TOPICS,
  OPERATIONS,
  SERVICE_NAMES,
  type ServiceName,
  SERVICES,
} from './catalogue.js';
export {
  commandTopicsOf,
  jobStepTopicsOf,
  requestTopicsOf,
  type ServiceEntry,
  type SetAsideOperations,
  setAsideOperationsOf,
  sharedTopicsOf,
  topicsOf,
} from './service-entry.js';
