export { afterReading } from './after-reading.js';
export { type Answers } from './answers.js';
export type { ProcessContext, ProcessContextOptions } from './process-context.js';
export { HealthReader } from './health-reader.js';
export { isOfLostFuture, isOfUndoneTime } from './lost-future.js';
export { openKeyring } from './open-keyring.js';
export { ReadTurns } from './read-turns.js';
export { type AuditEntry, recordAudit } from './record-audit.js';
export { type ProcessOptions, type ProcessParts, runProcess } from './run-process.js';
export { type PublishedState, type PublishedStates, republish, type StateSource } from './republish.js';
export {
  type AskedAgain,
  republishTable,
  type Republisher,
  runRepublish,
  throughOutbox,
} from './republish-facts.js';
export { runService, type ServiceContext, type ServiceOptions, type ServiceParts } from './run-service.js';
export {
  type ErasesPeople,
  type EraseSubjects,
  PersonErasure,
  type PersonPiece,
  SubjectErasure,
} from './person-erasure.js';
export { erasureReport, SiteErasure } from './site-erasure.js';
export { StateKeeper } from './state-keeper.js';
export { whileAvailable } from './while-available.js';
