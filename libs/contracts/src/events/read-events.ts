import { TRUST_CLASSES, type TrustClass } from '../credentials/trust.js';
import { Flag, JsonObject, Matching, NestedList, NonEmptyText } from '../validation/decorators.js';
import { OneOf, OrNull, Timestamp } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { EVENT_TYPES } from './event-catalogue.js';

/** Where a stored event is found. */
export class StoredPlace {
  @Matching(UUID, UUID_FORM) readonly event_id!: string;
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly received_at!: string;
}

/** The message of `read-events`: events of one site, by id and time of storage. */
export class ReadEvents {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @NestedList(() => StoredPlace, { min: 0, max: 200 }) readonly events!: readonly StoredPlace[];
  /** Of the list that names them; it is answered as it came. */
  @OrNull() @NonEmptyText({ max: 512 }) readonly next_cursor!: string | null;
}

const ID = { max: 128 };

/** A stored event, as answers show it. */
export class EventResource {
  @Matching(UUID, UUID_FORM) readonly event_id!: string;
  @OneOf(EVENT_TYPES) readonly event_type!: string;
  @NonEmptyText(ID) readonly session_id!: string;
  @OrNull() @NonEmptyText(ID) readonly user_id!: string | null;
  @OrNull() @NonEmptyText(ID) readonly client_event_id!: string | null;
  @NonEmptyText(ID) readonly request_id!: string;
  @OneOf(TRUST_CLASSES) readonly trust!: TrustClass;
  @Flag() readonly is_bot!: boolean;
  /** ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly occurred_at!: string;
  @Timestamp() readonly received_at!: string;
  @JsonObject() readonly properties!: Readonly<Record<string, unknown>>;
  @JsonObject() readonly context!: Readonly<Record<string, unknown>>;
}
