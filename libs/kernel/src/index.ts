export { fingerprint, uuidFromFingerprint } from './fingerprint.js';
export { formatInstant, type Instant, parseInstant } from './instant.js';
export { type Failure, type FailureCode, type FieldErrors, failure, type Reply } from './reply.js';
export { fail, type Result, succeed, unreachable } from './result.js';
