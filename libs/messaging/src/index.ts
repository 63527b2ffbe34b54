export { type AccessOperation, type AccessRule } from './access.js';
export { type AskLimits, type AskRequest, KafkaAskClient } from './asking/kafka-ask-client.js';
export { type AskedFor, type AskedOperation, OperationAsker } from './asking/operation-asker.js';
export { ReplyJanitor, type JanitorOptions } from './asking/janitor.js';
export { DEAD_LETTER_HEADER, DEAD_LETTERS, type GivenUp } from './dead-letters.js';
export { describeError, TransientError, UndeliverableError, UnreadableError } from './errors.js';
export { type DeadLetter, readDeadLetter } from './read-dead-letter.js';
export {
  type BuriedMessage,
  findDeadLetter,
  type FoundMessage,
  replayDeadLetter,
} from './replay-dead-letter.js';
export { type TopicDescription, type TopicSpec } from './topics.js';
export { CompactedTable, type CompactedTableOptions } from './facts/compacted-table.js';
export { type TailRecord, TopicTail, type TopicTailOptions } from './facts/topic-tail.js';
export { statesOf } from './facts/states-of.js';
export { incarnationOf } from './facts/incarnation.js';
export { placedRequest } from './placed-request.js';
export {
  type ReceivedFact,
  subscribe,
  type Subscription,
  type SubscriptionOptions,
} from './facts/subscribe.js';
export { FencedPublisher } from './facts/fenced-publisher.js';
export { kafkaRequests } from './driver-speed/request-counts.js';
export { type GroupLag, READER_GROUPS } from './lag.js';
export { REPLIES_PREFIX } from './limits.js';
export { type MessagingLog } from './log.js';
export {
  beginGroup,
  membersOfGroups,
  requireSight,
  type Rewinding,
  rewindGroups,
  type RewoundPartition,
} from './rewind.js';
export { type Fact, Messaging, type MessagingOptions } from './messaging.js';
export { type MessagingMetrics, type MetricName, METRICS } from './metrics.js';
export { type KafkaSecurity } from './security.js';
export {
  type BatchLimits,
  type BatchOutcome,
  BatchPattern,
  HandlerErrorFilter,
} from './serving/batch-pattern.js';
export { type AskContext } from './serving/handlers.js';
export { type HandledOperation, type Handler, Handles } from './serving/handles.js';
export { groupOfTopic, KafkaServer, type KafkaServerOptions } from './serving/kafka-server.js';
export { type AskKind, commandHeaders, type IncomingRequest, REQUEST_ID_HEADER } from './wire.js';
