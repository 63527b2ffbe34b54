export { arrayLiteral } from './array-literal.js';
export { blockAfter, type BlockPlace, FIRST_BLOCK, formatBlockPlace, parseBlockPlace } from './block-pass.js';
export { type Connection, connectionOf } from './connection.js';
export { BinaryRows, floatArray, floatsOf, uuidArray, uuidBytes, writeUuid } from './binary-rows.js';
export { copyIn, copyText } from './copy-in.js';
export { deleteOfSite, type RowsOfSites } from './delete-of-site.js';
export { deleteOlder } from './delete-older.js';
export {
  ERASED_PEOPLE_SQL,
  erasedAmong,
  erasePersonKey,
  erasePersonOnce,
  PEOPLE_WRITERS_SQL,
  type Person,
} from './erased-people.js';
export { ERASED_SITES_SQL, ErasedSites, eraseOnce, markErased, untilWritersEnded } from './erased-sites.js';
export {
  currentIncarnation,
  firstIncarnationSince,
  type Incarnation,
  isOfThisDatabase,
  isRewound,
  markPublished,
  markRewound,
  type ReportedRestore,
  reportedRestores,
  reportRestore,
  type Restore,
} from './incarnation.js';
export { INCARNATIONS_TABLE_SQL } from './incarnations-table.js';
export { type CarriedOut, commandOnce, forgetOldReplies, INBOX_TABLE_SQL, stepOnce } from './inbox.js';
export { KNOWN_STATES_TABLE_SQL, type NewerStates, newerStates } from './known-states.js';
export { decideUntilWon, isUniqueViolation, LostRaceError } from './lost-race.js';
export { migrate, type MigrateOptions, type MigrationConstructor } from './migrate.js';
export {
  appendToOutbox,
  OUTBOX_TABLE_SQL,
  outboxSpan,
  type OutboxSpan,
  type OutgoingFact,
} from './outbox.js';
export { type FactPublisher, OutboxRelay, type OutboxRelayOptions } from './outbox-relay.js';
export {
  discardSetAside,
  eraseSetAside,
  eraseSetAsideNaming,
  listSetAside,
  type HandledSetAside,
  type RefusedFact,
  replaySetAside,
  type SetAsideActor,
  type SetAsideFact,
  type SetAsideOwner,
} from './outbox-set-aside.js';
export { createPool, isReachable, type PoolOptions } from './pool.js';
export {
  type Closing,
  inHotTransaction,
  inOneTrip,
  inPipelinedTransaction,
  inSnapshot,
  inTransaction,
  type Trip,
} from './transactions.js';
export { heldSumsSql, type HeldRows } from './held-sums.js';
export { runSql } from './run-sql.js';
export { guardErased, type GuardedTable } from './skip-erased.js';
export { SharedReader } from './shared-reader.js';
export { type Columns, type Statement, Table, tableOf } from './table.js';
export { GuardedClient } from './guarded-client.js';
export { hasSqlState } from './sql-state.js';
export { isTransient } from './transient.js';
