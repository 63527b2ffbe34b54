export {
  checkProperties,
  EVENT_TYPES,
  type EventType,
  identifyingValues,
  isEventType,
  orderOf,
  storedProperties,
} from './event-catalogue.js';
export {
  decodeTrackEvent,
  encodeEventColumns,
  type EncodedEvent,
  encodeTrackEvent,
  type EventColumns,
  MAX_EVENTS_PER_REQUEST,
  type AcceptedEvent,
  type TrackEventRequest,
} from './track-event-request.js';
export {
  countReasons,
  failedItems,
  NO_REFUSALS,
  type ReasonCount,
  type RefusedItem,
  type Refusals,
  type StatusCount,
} from './refusals.js';
export {
  ALLOWANCE_KINDS,
  type AllowanceKind,
  IntakeAllowance,
  IntakeCounts,
  IntakeHour,
  MAX_INTAKE_HOURS,
  MAX_REASONS,
  OTHER_REASONS,
  ReadIntake,
  RefusedRequests,
  RefusalReason,
  SiteIntake,
} from './intake.js';
export { encodeTrackEventReply, parseTrackEventReply, type StoredVerdict } from './track-event-reply.js';
export { BatchItem, BatchItemError, DuplicateEvent, TrackedBatch, TrackedEvent } from './track-answers.js';
export { clientEventKey, eventIdOfKey, eventIdsOfClient } from './event-id.js';
export { EventResource, ReadEvents, StoredPlace } from './read-events.js';
export { TrackBatch } from './track-batch.js';
export { EVENT_LIMITS, EventContext, TrackEvent } from './track-event.js';
export {
  DuplicateOf,
  FoundItem,
  FoundTrail,
  ReadTrail,
  Trail,
  TRAIL_DAYS,
  TRAIL_ITEMS,
  TRAIL_OUTCOMES,
  TRAIL_REPORTS,
  TrailDelivery,
  TrailError,
  TrailItem,
  type TrailOutcome,
  type TrailReport,
  TrailReason,
  TrailSearched,
} from './trail.js';
export { INGESTION } from './service.js';
