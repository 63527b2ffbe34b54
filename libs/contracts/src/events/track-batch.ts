import { ListOfAnything } from '../validation/decorators.js';
import { TrackEvent } from './track-event.js';
import { MAX_EVENTS_PER_REQUEST } from './track-event-request.js';

/**
 * The body of `POST /events/batch`. Each item is validated alone as a `TrackEvent`, so that an invalid one
 * fails alone. Paths in an item's `details` start at the item, whose `index` is beside them.
 */
export class TrackBatch {
  @ListOfAnything({ min: 1, max: MAX_EVENTS_PER_REQUEST }, () => TrackEvent) events!: readonly unknown[];
}
