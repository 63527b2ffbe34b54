import { type Messaging } from '../messaging.js';

/** Maximum clock skew between writers. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * The first offset of a partition that was written at or after a time, with a margin; undefined if there is
 * none.
 */
export async function offsetSince(
  messaging: Messaging,
  topic: string,
  partition: number,
  timestampMs: number,
): Promise<number | undefined> {
  const offsets = await messaging.administer((admin) =>
    admin.fetchTopicOffsetsByTimestamp(messaging.prefixed(topic), timestampMs - CLOCK_SKEW_MS),
  );
  const found = offsets.find((each) => each.partition === partition);
  return found === undefined ? undefined : Number(found.offset);
}
