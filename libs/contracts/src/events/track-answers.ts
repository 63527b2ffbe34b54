import { ErrorBody } from '../http/envelope.js';
import { Always, Flag, Nested, NestedList, OneOf, OrAbsent } from '../validation/decorators.js';
import { Matching, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';
import { MAX_EVENTS_PER_REQUEST } from './track-event-request.js';

/** `data` of `POST /events/track`, stored (interface page, section 4). */
export class TrackedEvent {
  @Matching(UUID, UUID_FORM) readonly event_id!: string;
  /** When it was stored: ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly timestamp!: string;
}

/** The same for a duplicate: both values are those of its first storage. */
export class DuplicateEvent extends TrackedEvent {
  @Always(true) readonly deduplicated!: true;
}

const ITEM_STATES = ['stored', 'duplicate', 'failed'] as const;
const BATCH = { min: 1, max: MAX_EVENTS_PER_REQUEST };

/** The error of one item of a batch. */
export class BatchItemError extends ErrorBody {
  /** False for an item that will never pass. */
  @Flag() readonly retryable!: boolean;
}

/** The outcome of one item; of a failed one only its error. */
export class BatchItem {
  @WholeNumber(COUNT) readonly index!: number;
  @OneOf(ITEM_STATES) readonly status!: (typeof ITEM_STATES)[number];
  @OrAbsent() @Matching(UUID, UUID_FORM) readonly event_id?: string;
  @OrAbsent() @Timestamp() readonly timestamp?: string;
  @OrAbsent() @Always(true) readonly deduplicated?: true;
  @OrAbsent() @Nested(() => BatchItemError) readonly error?: BatchItemError;
}

/** `data` of `POST /events/batch`: one result per item, in order. */
export class TrackedBatch {
  @WholeNumber(COUNT) readonly total!: number;
  @WholeNumber(COUNT) readonly stored!: number;
  @WholeNumber(COUNT) readonly deduplicated!: number;
  @WholeNumber(COUNT) readonly failed!: number;
  @NestedList(() => BatchItem, BATCH) readonly results!: readonly BatchItem[];
}
