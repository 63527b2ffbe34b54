export type { FactName, Facts } from './facts.js';
export {
  EffectError,
  type FactIdentity,
  inbox,
  keyed,
  type Once,
  type SqlClient,
  type SqlPool,
} from './once.js';
export {
  type DeadLetter,
  type FactContext,
  type Handlers,
  RejectedFactError,
  startWorker,
  type Worker,
  type WorkerLog,
  type WorkerOptions,
} from './worker.js';
