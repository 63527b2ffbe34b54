export { ErrorBody, ErrorEnvelope, Meta, type SuccessEnvelope } from './envelope.js';
export { type ErrorCode, type FailureRule, FAILURES } from './failures.js';
export { GATEWAY } from './service.js';
