export { OPERATIONS, TOPICS } from './services/catalogue.js';
export { type TopicSpec } from './services/topic-spec.js';
