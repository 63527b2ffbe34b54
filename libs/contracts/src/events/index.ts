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
  decodeStoreEvents,
  encodeEventColumns,
  type EncodedEvent,
  encodeStoreEvents,
  type EventColumns,
  MAX_EVENTS_PER_REQUEST,
  type StoreEvent,
  type StoreEventsRequest,
} from './store-events.js';
export { encodeStoreEventsReply, parseStoreEventsReply, type StoredVerdict } from './store-events-reply.js';
export { TrackBatch } from './track-batch.js';
export { EVENT_LIMITS, EventContext, TrackEvent } from './track-event.js';
export { INGESTION } from './service.js';
