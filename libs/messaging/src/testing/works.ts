import { OffsetTracker } from '../consuming/offset-tracker.js';
import { type Work } from '../consuming/work.js';

/** A message in progress whose item is its number. */
export function workOf(
  number: number,
  {
    weight = 1,
    bytes = 1,
    lane,
    holder,
    tracker = new OffsetTracker(),
  }: { weight?: number; bytes?: number; lane?: string; holder?: string; tracker?: OffsetTracker } = {},
): Work<number> {
  return {
    item: number,
    ticket: tracker.take(number),
    topic: 'topic',
    partition: 0,
    message: {
      key: null,
      value: null,
      offset: String(number),
      timestamp: '0',
      attributes: 0,
      headers: {},
    },
    weight,
    bytes,
    lane,
    holder,
    tracker,
  };
}
