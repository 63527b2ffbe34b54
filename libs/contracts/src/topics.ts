export { OPERATIONS, TOPICS } from './services/catalogue.js';
export { type ColdOperation, type Operation } from './services/operation.js';
export { type TopicSpec } from './services/topic-spec.js';
