export {
  AskEventDeliveries,
  DELIVERY_STATUSES,
  DeliveryAttemptResource,
  DeliveryResource,
  type DeliveryStatus,
  EventDeliveries,
  EventDelivery,
  MatchedDeliveries,
  momentOf,
  readReplay,
  readTest,
  ReplayBody,
  StartedReplay,
  TestWorkflowBody,
} from './delivery.js';
export {
  MAX_REPLAYED_DELIVERIES,
  type PlannedReplay,
  PLANNED_REPLAY,
  REPLAY_DELIVERIES,
  REPLAYED_STATUSES,
  type ReplayedStatus,
  type ReplayRange,
  replayRangeIn,
  WORKFLOWS_REPLAY,
} from './replay.js';
export { OUTBOUND } from './service.js';
