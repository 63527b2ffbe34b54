export { ERASED_SITES_SQL, ErasedSites } from './erased-sites.js';
export { forgetOldReplies, INBOX_TABLE_SQL, once, stepOnce } from './inbox.js';
export { decideUntilWon, isUniqueViolation, LostRaceError } from './lost-race.js';
export { migrate, type MigrateOptions, type MigrationConstructor } from './migrate.js';
export { appendToOutbox, OUTBOX_TABLE_SQL, type OutgoingFact } from './outbox.js';
export { OutboxRelay, type OutboxRelayOptions } from './outbox-relay.js';
export {
  type Closing,
  createPool,
  inHotTransaction,
  inTransaction,
  isReachable,
  type PoolOptions,
} from './pool.js';
export { isTransient } from './transient.js';
