import { type TrustClass } from '../credentials/trust.js';

/** A stored event without its two texts. */
export interface StoredEventFact {
  readonly event_id: string;
  readonly site_id: string;
  readonly event_type: string;
  readonly session_id: string;
  readonly user_id: string | null;
  readonly device_id: string | null;
  readonly client_event_id: string | null;
  /** ISO 8601 UTC, to the microsecond at most. */
  readonly occurred_at: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly received_at: string;
  readonly trust: TrustClass;
  readonly is_bot: boolean;
  readonly request_id: string;
}

/** Keeps the events of one session in order. */
export function storedEventKey(event: Pick<StoredEventFact, 'site_id' | 'session_id'>): string {
  return `${event.site_id}:${event.session_id}`;
}

/**
 * The value of `events.stored.v1`. `properties` and `context` are JSON texts and are copied unparsed: parsing
 * would cost time and digits.
 */
export function encodeStoredEvent(event: StoredEventFact, properties: string, context: string): string {
  const fields = JSON.stringify({
    event_id: event.event_id,
    site_id: event.site_id,
    event_type: event.event_type,
    session_id: event.session_id,
    user_id: event.user_id,
    device_id: event.device_id,
    client_event_id: event.client_event_id,
    occurred_at: event.occurred_at,
    received_at: event.received_at,
    trust: event.trust,
    is_bot: event.is_bot,
    request_id: event.request_id,
  });
  return `${fields.slice(0, -1)},"properties":${properties},"context":${context}}`;
}
