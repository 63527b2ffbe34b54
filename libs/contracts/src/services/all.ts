// One line for each service of the product; the catalogue is built from this list.
export { ANALYTICS } from '../analytics/service.js';
export { ATTRIBUTION_LEDGER } from '../attribution/service.js';
export { EXPERIMENTS } from '../experiments/service.js';
export { GATEWAY } from '../http/service.js';
export { INGESTION } from '../events/service.js';
export { MANAGEMENT } from '../management/service.js';
export { OUTBOUND } from '../outbound/service.js';
export { PUBLISHER_ANALYTICS } from '../publisher/service.js';
