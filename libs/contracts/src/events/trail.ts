import { TRUST_CLASSES, type TrustClass } from '../credentials/trust.js';
import { ERROR_CODES, type ErrorCode } from '../http/failures.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../outbound/delivery.js';
import { Flag, JsonObject, ListOf, Matching, Nested, NestedList } from '../validation/decorators.js';
import { NonEmptyText, OneOf, OrNull, Timestamp, WholeNumber } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { matching } from '../validation/rules.js';
import { EVENT_TYPES } from './event-catalogue.js';

const ID = { max: 128 };
const PAGE = { min: 1, max: 200 };
const CURSOR = { max: 512 };
const TEXT = { max: 512 };
const PLACE = { min: 0, max: 99 };
/** Newest first; an event can trigger as many as its site has workflows. */
const DELIVERIES = { min: 0, max: 100 };
const STATUS = { min: 100, max: 599 };

/** Items of each site that every connection of ingestion keeps: the newest duplicates and refusals. */
export const TRAIL_ITEMS = 10_000;
/** They are forgotten after so many days. */
export const TRAIL_DAYS = 7;

/** What became of an item. */
export const TRAIL_OUTCOMES = ['stored', 'duplicate', 'refused'] as const;
/** One of `TRAIL_OUTCOMES`. */
export type TrailOutcome = (typeof TRAIL_OUTCOMES)[number];

/** Whether reports have a stored event: counted, not yet, or never, because it is a bot's. */
export const TRAIL_REPORTS = ['counted', 'pending', 'bot'] as const;
/** One of `TRAIL_REPORTS`. */
export type TrailReport = (typeof TRAIL_REPORTS)[number];

/** The message of `read-trail`: items of one site that have one of these names. */
export class ReadTrail {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  /** Events with their duplicates, where `request_id` is null; else stored events of that request that are known to be. */
  @ListOf(matching(UUID, UUID_FORM), { min: 0, max: PAGE.max }) readonly event_ids!: readonly string[];
  /** Refused items with it. */
  @OrNull() @NonEmptyText(ID) readonly client_event_id!: string | null;
  @OrNull() @NonEmptyText(ID) readonly request_id!: string | null;
  @WholeNumber(PAGE) readonly limit!: number;
  @OrNull() @NonEmptyText(CURSOR) readonly cursor!: string | null;
}

/** The first storage of a duplicate's event. */
export class DuplicateOf {
  @Matching(UUID, UUID_FORM) readonly event_id!: string;
  @Timestamp() readonly timestamp!: string;
  @NonEmptyText(ID) readonly request_id!: string;
}

/** Why an item was refused, as ingestion keeps it. */
export class TrailReason {
  @OneOf(ERROR_CODES) readonly code!: ErrorCode;
  /** The first broken field's path, without indexes. */
  @OrNull() @NonEmptyText(TEXT) readonly field!: string | null;
  @OrNull() @NonEmptyText(TEXT) readonly rule!: string | null;
  /** Of a request refused whole. */
  @OrNull() @WholeNumber(STATUS) readonly status!: number | null;
}

/** What ingestion knows of an item, and every answer shows. */
class TrailEntry {
  @OneOf(TRAIL_OUTCOMES) readonly outcome!: TrailOutcome;
  @NonEmptyText(ID) readonly request_id!: string;
  /** Place in the batch; null for a single event and for a request refused whole. */
  @OrNull() @WholeNumber(PLACE) readonly index!: number | null;
  /** When it was stored, or found to be a duplicate or refused. */
  @Timestamp() readonly received_at!: string;
  /** Null for what was refused. */
  @OrNull() @Matching(UUID, UUID_FORM) readonly event_id!: string | null;
  /** Null where no valid one was given. */
  @OrNull() @OneOf(EVENT_TYPES) readonly event_type!: string | null;
  @OrNull() @NonEmptyText(ID) readonly client_event_id!: string | null;
  /** Null where the request had no valid credential. */
  @OrNull() @OneOf(TRUST_CLASSES) readonly trust!: TrustClass | null;
  /** Null for what was refused. */
  @OrNull() @Flag() readonly is_bot!: boolean | null;
  /** Null unless it is a duplicate, and where the stored event is no longer kept. */
  @OrNull() @Nested(() => DuplicateOf) readonly duplicate_of!: DuplicateOf | null;
}

/** An item in the answer of `read-trail`. */
export class FoundItem extends TrailEntry {
  /** Null unless it was refused. */
  @OrNull() @Nested(() => TrailReason) readonly reason!: TrailReason | null;
}

/** How far back was looked: an empty answer says so. */
export class TrailSearched {
  /** The oldest stored event that is still kept can be as old; null while none ever was. */
  @OrNull() @Timestamp() readonly stored_since!: string | null;
  /** Every duplicate and refusal since then is listed. */
  @Timestamp() readonly refused_since!: string;
}

/** The answer of `read-trail`: a page, newest first. */
export class FoundTrail {
  @NestedList(() => FoundItem, { min: 0, max: PAGE.max }) readonly items!: readonly FoundItem[];
  @OrNull() @NonEmptyText(CURSOR) readonly next_cursor!: string | null;
  @Nested(() => TrailSearched) readonly searched!: TrailSearched;
}

/** A webhook's delivery that an event caused. */
export class TrailDelivery {
  @Matching(UUID, UUID_FORM) readonly workflow_id!: string;
  @Matching(UUID, UUID_FORM) readonly delivery_id!: string;
  @OneOf(DELIVERY_STATUSES) readonly status!: DeliveryStatus;
}

/** Why an item was refused; the message and the rule have no value of it. */
export class TrailError {
  @OneOf(ERROR_CODES) readonly code!: ErrorCode;
  @NonEmptyText(TEXT) readonly message!: string;
  /** The rule that the first broken field breaks, by the field's path without indexes. */
  @JsonObject() readonly details!: Readonly<Record<string, readonly string[]>>;
}

/** An item of the trail (interface page, section 9). */
export class TrailItem extends TrailEntry {
  /** Null unless it was refused. */
  @OrNull() @Nested(() => TrailError) readonly error!: TrailError | null;
  /** Null unless it was stored. */
  @OrNull() @OneOf(TRAIL_REPORTS) readonly report!: TrailReport | null;
  @NestedList(() => TrailDelivery, DELIVERIES) readonly deliveries!: readonly TrailDelivery[];
}

/** `data` of `GET /analytics/events/trail`. */
export class Trail {
  @NestedList(() => TrailItem, { min: 0, max: PAGE.max }) readonly items!: readonly TrailItem[];
  @OrNull() @NonEmptyText(CURSOR) readonly next_cursor!: string | null;
  @Nested(() => TrailSearched) readonly searched!: TrailSearched;
}
