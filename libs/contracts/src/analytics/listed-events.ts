import { EVENT_TYPES } from '../events/event-catalogue.js';
import { ListOf, Matching, NestedList, NonEmptyText, OneOf } from '../validation/decorators.js';
import { OrAbsent, OrNull, Timestamp, WholeNumber } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { matching } from '../validation/rules.js';

const ID = { max: 128 };
const PAGE = { min: 1, max: 200 };
const CURSOR = { max: 512 };
/** Those of a page. */
const IDS = { min: 1, max: 200 };

/** The message of `list-events`: which events of a site, newest first. */
export class AskEvents {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @OrNull() @OneOf(EVENT_TYPES) readonly event_type!: string | null;
  @OrNull() @NonEmptyText(ID) readonly session_id!: string | null;
  @OrNull() @NonEmptyText(ID) readonly request_id!: string | null;
  /** Null: any. */
  @OrNull() @ListOf(matching(UUID, UUID_FORM), IDS) readonly event_ids!: readonly string[] | null;
  /** Where the asker knows them: the times of storage between which all of these events are. Blocks of other times are not read. */
  @OrAbsent() @Timestamp() readonly received_from?: string;
  @OrAbsent() @Timestamp() readonly received_to?: string;
  @WholeNumber(PAGE) readonly limit!: number;
  @OrNull() @NonEmptyText(CURSOR) readonly cursor!: string | null;
}

/** Where ingestion finds a stored event. */
export class EventPlace {
  @Matching(UUID, UUID_FORM) readonly event_id!: string;
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly received_at!: string;
}

/** The answer of `list-events`: the content of events is ingestion's. */
export class EventPlaces {
  @NestedList(() => EventPlace, { min: 0, max: PAGE.max }) readonly events!: readonly EventPlace[];
  @OrNull() @NonEmptyText(CURSOR) readonly next_cursor!: string | null;
}
