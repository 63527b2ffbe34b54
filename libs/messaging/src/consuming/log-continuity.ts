import { type EachBatchPayload, type KafkaMessage } from 'kafkajs';
import { type Messaging } from '../messaging.js';

/** Distinguishes a record from all others of its partition, even if its offset is reused. */
interface Place {
  readonly offset: number;
  /** The partition's leader epoch when it was written; it never decreases along a log. */
  readonly leaderEpoch: number;
  readonly timestamp: string;
}

/**
 * What to do with a fetch: `take` these; fetch again from an offset that was already read, to check that the
 * log still holds the same record there; or start over, because the log was replaced: a recreated topic, or a
 * Kafka that was restored from an older copy and reuses offsets.
 */
export type Verdict =
  | { readonly kind: 'take'; readonly messages: readonly KafkaMessage[] }
  | { readonly kind: 'look-back'; readonly offset: number }
  | { readonly kind: 'another-log' };

/**
 * Detects that a partition's log was replaced. Pure. A broker that starts raises the partition's leader
 * epoch; the last record that was read is then fetched again and compared.
 */
export class LogContinuity {
  private last: Place | undefined;
  private isLookingBack = false;
  private wasTheSame = false;

  /** @param isGoneAnother whether a log that no longer has the last record read counts as replaced */
  constructor(private readonly isGoneAnother: boolean) {}

  /** When the last record that was read was written, in epoch milliseconds. */
  get lastTimestampMs(): number | undefined {
    return this.last === undefined ? undefined : Number(this.last.timestamp);
  }

  /** The next fetch begins at the last record that was read. */
  get isComparing(): boolean {
    return this.isLookingBack;
  }

  /** The offset to fetch for the comparison; undefined when nothing was read yet. */
  lookBack(): number | undefined {
    this.isLookingBack = this.last !== undefined;
    return this.last?.offset;
  }

  isLast(message: KafkaMessage | undefined): boolean {
    return message !== undefined && this.last !== undefined && isSame(placeOf(message), this.last);
  }

  /** Fetching starts elsewhere, at the committed offset. */
  rejoin(): void {
    this.isLookingBack = false;
  }

  forget(): void {
    this.last = undefined;
    this.isLookingBack = false;
    this.wasTheSame = false;
  }

  /** @param messages of one fetch, in the order of their offsets */
  judge(messages: readonly KafkaMessage[]): Verdict {
    const [first] = messages;
    const { last } = this;
    if (first === undefined) return { kind: 'take', messages };
    if (last !== undefined) {
      if (this.isLookingBack) return this.compare(messages, last, first);
      if (isRewritten(messages, last)) return { kind: 'another-log' };
      const isFurther = Number(first.offset) > last.offset;
      if (isFurther && !this.wasTheSame && placeOf(first).leaderEpoch !== last.leaderEpoch) {
        this.isLookingBack = true;
        return { kind: 'look-back', offset: last.offset };
      }
    }
    this.wasTheSame = false;
    return this.take(messages);
  }

  private compare(messages: readonly KafkaMessage[], last: Place, first: KafkaMessage): Verdict {
    this.isLookingBack = false;
    const found = placeOf(first);
    if (isSame(found, last)) {
      this.wasTheSame = messages.length === 1;
      return this.take(messages.slice(1));
    }
    const isGone = found.offset > last.offset;
    return isGone && !this.isGoneAnother ? this.take(messages) : { kind: 'another-log' };
  }

  private take(messages: readonly KafkaMessage[]): Verdict {
    const end = messages.at(-1);
    if (end !== undefined && Number(end.offset) > (this.last?.offset ?? -1)) this.last = placeOf(end);
    return { kind: 'take', messages };
  }
}

/** Whether an offset that was already read now has a record that is newer than the last one read. */
function isRewritten(messages: readonly KafkaMessage[], last: Place): boolean {
  return messages.some((message) => {
    const place = placeOf(message);
    if (place.offset > last.offset) return false;
    return place.leaderEpoch > last.leaderEpoch || (place.offset === last.offset && !isSame(place, last));
  });
}

function isSame(left: Place, right: Place): boolean {
  return (
    left.offset === right.offset &&
    left.leaderEpoch === right.leaderEpoch &&
    left.timestamp === right.timestamp
  );
}

const NO_EPOCH = -1;

/** The driver attaches its batch to each record, but not in its types. */
function placeOf(message: KafkaMessage): Place {
  const { offset, timestamp } = message;
  const batch: unknown = 'batchContext' in message ? message.batchContext : undefined;
  const isBatch = typeof batch === 'object' && batch !== null && 'partitionLeaderEpoch' in batch;
  const leaderEpoch = isBatch ? Number(batch.partitionLeaderEpoch) : NO_EPOCH;
  return { offset: Number(offset), leaderEpoch, timestamp };
}

interface Parts {
  readonly messaging: Messaging;
  /** Without prefix, as are the topics. */
  readonly group: string;
  readonly topics: readonly string[];
}

/**
 * Notices records that a log has removed before the group read them: the driver continues at the start of the
 * log without a word. A topic that was made anew starts at 0, so that it is not mistaken for one whose records
 * expired, and a group that has committed nothing has lost nothing.
 */
export class ExpiredUnread {
  constructor(private readonly parts: Parts) {}

  /** Before a member joins. Members that join at the same time each report it. */
  async beforeJoining(): Promise<void> {
    const { messaging, group, topics } = this.parts;
    const groupId = messaging.prefixed(group);
    await messaging.administer(async (admin) => {
      const existing = new Set(await admin.listTopics());
      const names = topics.map((topic) => messaging.prefixed(topic)).filter((name) => existing.has(name));
      if (names.length === 0) return;
      for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics: names })) {
        const committed = partitions.filter(({ offset }) => Number(offset) >= 0);
        if (committed.length === 0) continue;
        const starts = await admin.fetchTopicOffsets(topic);
        for (const { partition, offset } of committed) {
          const start = Number(starts.find((each) => each.partition === partition)?.low ?? 0);
          this.report(messaging.unprefixed(topic), partition, start - Number(offset));
        }
      }
    });
  }

  /**
   * For a running member that is slower than its log is removed.
   * @param next the offset that follows what it has read of this partition without a break
   */
  async inBatch(topic: string, batch: EachBatchPayload['batch'], next: number): Promise<void> {
    if (startOf(batch) <= next) return;
    const { messaging } = this.parts;
    const starts = await messaging.administer((admin) => admin.fetchTopicOffsets(messaging.prefixed(topic)));
    const start = Number(starts.find(({ partition }) => partition === batch.partition)?.low ?? 0);
    this.report(topic, batch.partition, start - next);
  }

  private report(topic: string, partition: number, records: number): void {
    if (records <= 0) return;
    const { messaging, group } = this.parts;
    messaging.onMetric('messaging_expired_unread_total', records, { group, topic });
    const said = 'records expired unread, reading goes on at the start of the log';
    messaging.options.log.error({ group, topic, partition, records }, said);
  }
}

/** Where the driver fetched from, which its types leave out; control records may come before the first message. */
export function startOf(batch: EachBatchPayload['batch']): number {
  return 'fetchedOffset' in batch ? Number(batch.fetchedOffset) : Number(batch.firstOffset() ?? 0);
}
