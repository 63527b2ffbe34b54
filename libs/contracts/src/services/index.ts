export { accessOf, type ServiceAccess, topicsUsedBy } from './access.js';
export { REPEATED_TOPICS } from './repeated-topics.js';
export {
  ALL_TOPICS,
  IMAGE_NAMES,
  JOB_STEPS,
  OPERATIONS,
  programsOf,
  SERVICE_NAMES,
  type ServiceName,
  SERVICES,
} from './catalogue.js';
export { type ColdOperation, type Operation } from './operation.js';
export {
  commandTopicsOf,
  jobStepOf,
  requestTopicsOf,
  type ServiceEntry,
  type SetAsideOperations,
  setAsideOperationsOf,
  sharedTopicsOf,
  topicOf,
  topicsOf,
} from './service-entry.js';
