import { ListOfAnything } from '../validation/decorators.js';
import { MAX_EVENTS_PER_REQUEST } from './store-events.js';

/**
 * The body of `POST /events/batch`. Items are judged one by one as `TrackEvent`s, so that a bad one fails alone; paths
 * in an item's own `details` start at the item, whose `index` stands beside them.
 */
export class TrackBatch {
  @ListOfAnything({ min: 1, max: MAX_EVENTS_PER_REQUEST }) events!: readonly unknown[];
}
