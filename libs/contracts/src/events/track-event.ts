import {
  FiniteNumber,
  HttpUrl,
  Identifier,
  JsonObject,
  Nested,
  NonEmptyText,
  OneOf,
  Optional,
  Text,
  Timestamp,
} from '../validation/decorators.js';
import { EVENT_TYPES, type EventType } from './event-catalogue.js';

/** Limits of an event (interface page, section 4); lengths in Unicode code points, sizes in bytes of compact JSON. */
export const EVENT_LIMITS = {
  idCharacters: 128,
  pageUrlCharacters: 2048,
  userAgentCharacters: 1024,
  /**
   * Optional context fields have no limit on the interface page. These limits keep one field from using up
   * the whole event.
   */
  referrerCharacters: 8192,
  pageTitleCharacters: 4096,
  contextTextCharacters: 256,
  /** Nested objects and arrays; `properties` or `context` itself is the first level. */
  nesting: 8,
  propertiesBytes: 32 * 1024,
  eventBytes: 64 * 1024,
  /** How far a client's clock may be ahead. */
  occurredAheadMs: 24 * 60 * 60 * 1000,
} as const;

const ID = { max: EVENT_LIMITS.idCharacters };
const SHORT_TEXT = { max: EVENT_LIMITS.contextTextCharacters };

export class ScreenSize {
  @Optional() @FiniteNumber({ min: 0 }) width?: number | null;
  @Optional() @FiniteNumber({ min: 0 }) height?: number | null;
}

/** Other fields are kept. */
export class EventContext {
  @HttpUrl({ max: EVENT_LIMITS.pageUrlCharacters }) page_url!: string;
  @NonEmptyText({ max: EVENT_LIMITS.userAgentCharacters }) user_agent!: string;
  @Optional() @Text({ max: EVENT_LIMITS.referrerCharacters }) referrer?: string | null;
  @Optional() @Text({ max: EVENT_LIMITS.pageTitleCharacters }) page_title?: string | null;
  @Optional() @Nested(() => ScreenSize) screen?: ScreenSize | null;
  @Optional() @Text(SHORT_TEXT) device_type?: string | null;
  @Optional() @Text(SHORT_TEXT) browser?: string | null;
  @Optional() @Text(SHORT_TEXT) os?: string | null;
  @Optional() @Text(SHORT_TEXT) language?: string | null;
  @Optional() @Text(SHORT_TEXT) timezone?: string | null;
}

/**
 * One event, as in `POST /events/track` and each item of `POST /events/batch`. The event catalogue defines
 * `properties` by type. Other fields are ignored and not stored.
 */
export class TrackEvent {
  @OneOf(EVENT_TYPES) event_type!: EventType;
  @Identifier(ID) session_id!: string;
  @Optional() @Identifier(ID) user_id?: string | null;
  @Optional() @Identifier(ID) device_id?: string | null;
  @Optional() @Identifier(ID) client_event_id?: string | null;
  @Optional() @Timestamp() occurred_at?: string | null;
  @Optional() @JsonObject() properties?: Readonly<Record<string, unknown>> | null;
  @Nested(() => EventContext) context!: EventContext;
}
