import { type EachBatchPayload } from 'kafkajs';
import { type Messaging } from '../messaging.js';

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
function startOf(batch: EachBatchPayload['batch']): number {
  return 'fetchedOffset' in batch ? Number(batch.fetchedOffset) : Number(batch.firstOffset() ?? 0);
}
