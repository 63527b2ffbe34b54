export { ALL_TOPICS, JOB_STEP_TOPICS, SERVICE_NAMES, type ServiceName, SERVICES } from './catalogue.js';
export { jobStepTopicsOf, type ServiceEntry, topicsOf } from './service-entry.js';
