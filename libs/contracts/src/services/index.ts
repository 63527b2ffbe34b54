export { ACCESS, type ServiceAccess } from './access.js';
export { ALL_TOPICS, JOB_STEP_TOPICS, SERVICE_NAMES, type ServiceName, SERVICES } from './catalogue.js';
export {
  jobStepTopicsOf,
  type ServiceEntry,
  type SetAsideTopics,
  setAsideTopicsOf,
  topicsOf,
} from './service-entry.js';
