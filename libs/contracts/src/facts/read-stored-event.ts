import { TRUST_CLASSES } from '../credentials/trust.js';
import { recordCodec } from './record-codec.js';
import type { StoredEventFact } from './stored-event.js';

/** The value of `events.stored.v1` and `clicks.stored.v1`, with what the client sent along. */
export interface PublishedEvent extends StoredEventFact {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Reads a value of `events.stored.v1`; never throws. The error names the fields. */
export const STORED_EVENT_FACT = recordCodec((reader): PublishedEvent => ({
  event_id: reader.text('event_id'),
  site_id: reader.text('site_id'),
  event_type: reader.text('event_type'),
  session_id: reader.text('session_id'),
  user_id: reader.textOrNull('user_id'),
  device_id: reader.textOrNull('device_id'),
  client_event_id: reader.textOrNull('client_event_id'),
  occurred_at: reader.instant('occurred_at'),
  received_at: reader.instant('received_at'),
  trust: reader.oneOf('trust', TRUST_CLASSES) ?? 'browser',
  is_bot: reader.flag('is_bot'),
  request_id: reader.text('request_id'),
  properties: reader.members('properties'),
  context: reader.members('context'),
}));
