export { type ForgetSome, startForgetting } from './forgetting.js';
export { forgetIdempotentReplies, forgetReplyBytes, KEPT_REPLY_BYTES } from './idempotent-replies.js';
export { isStale } from './is-stale.js';
export {
  type AuditWriter,
  type Change,
  type ChangeEntry,
  type CommandContext,
  type CommandWork,
  type Outcome,
  type WrittenReply,
} from './outcome.js';
export {
  asJson,
  type Listing,
  listingOf,
  type Queryable,
  readPage,
  readPageOfSites,
  writePageOfSites,
  type WrittenListing,
} from './page.js';
export { paramOf } from './param-of.js';
export { ResourceAnswers } from './resource-answers.js';
export { ResourceDatabase, type ResourceDatabaseOptions } from './resource-database.js';
