import { type KafkaMessage } from 'kafkajs';
import { TopicReader } from '../consuming/topic-reader.js';
import { pause } from '../delay.js';
import { TABLE_PARTITION_BYTES, TABLE_QUIET_FETCHES, TABLE_QUIET_MS } from '../limits.js';
import { type Messaging } from '../messaging.js';

export interface CompactedTableOptions {
  /** Without prefix. */
  readonly topic: string;
  /** The latest value of a key; null when it is deleted. Called in order per key, and perhaps again with the same. */
  apply(key: string, value: string | null): void;
}

/** Keeps in memory what a compacted topic says, up to date within a second. */
export class CompactedTable {
  private readonly reader: TopicReader;
  /** Next offsets that were reached, by partition. */
  private readonly positions = new Map<number, number>();
  private lastMessageMs = performance.now();
  private quietFetches = 0;

  private constructor(
    private readonly messaging: Messaging,
    private readonly options: CompactedTableOptions,
  ) {
    this.reader = new TopicReader(messaging, {
      topic: options.topic,
      group: `table.${options.topic}.${messaging.options.instance}`,
      partitionBytes: TABLE_PARTITION_BYTES,
      onMessages: (_partition, messages) => {
        this.applyAll(messages);
      },
      onPosition: (partition, nextOffset) => {
        this.positions.set(partition, nextOffset);
        this.lastMessageMs = performance.now();
        this.quietFetches = 0;
      },
      onFetched: () => {
        this.quietFetches++;
      },
    });
  }

  /** Resolves when everything has been applied that the topic held when it was called. The topic must exist. */
  static async open(messaging: Messaging, options: CompactedTableOptions): Promise<CompactedTable> {
    const table = new CompactedTable(messaging, options);
    const ends = await table.ends();
    await table.reader.start();
    await table.caughtUp(ends);
    return table;
  }

  /** Whether it follows the topic; if not, what it knows may be old. */
  healthy(): boolean {
    return this.reader.isFollowing();
  }

  async close(): Promise<void> {
    await this.reader.stop();
  }

  private applyAll(messages: readonly KafkaMessage[]): void {
    const { topic, apply } = this.options;
    for (const { key, value, offset } of messages) {
      if (key === null) continue;
      try {
        apply(key.toString(), value?.toString() ?? null);
      } catch (error) {
        // One record that cannot be read must not stop the others, the revocations behind it above all.
        this.messaging.onMetric('messaging_table_failures_total', 1, { topic });
        this.messaging.options.log.error({ ...this.reader.describe(error), offset }, 'record not applied');
      }
    }
  }

  /** Ends of the partitions that hold anything. */
  private async ends(): Promise<ReadonlyMap<number, number>> {
    const ends = new Map<number, number>();
    await this.messaging.untilDone('find the ends of a table', async () => {
      const topic = this.messaging.prefixed(this.options.topic);
      const offsets = await this.messaging.administer((admin) => admin.fetchTopicOffsets(topic));
      ends.clear();
      for (const { partition, high, low } of offsets) {
        if (Number(high) > Number(low)) ends.set(partition, Number(high));
      }
    });
    return ends;
  }

  private async caughtUp(ends: ReadonlyMap<number, number>): Promise<void> {
    while (!this.hasReached(ends)) {
      if (this.isQuiet()) {
        // All partitions have leaders that answer, and none has more: the missing last offsets do not exist.
        await this.ends();
        if (this.isQuiet()) return;
      }
      await pause(POLL_MS);
    }
  }

  private hasReached(ends: ReadonlyMap<number, number>): boolean {
    for (const [partition, end] of ends) if ((this.positions.get(partition) ?? 0) < end) return false;
    return true;
  }

  private isQuiet(): boolean {
    return (
      this.reader.isFollowing() &&
      this.quietFetches >= TABLE_QUIET_FETCHES &&
      performance.now() - this.lastMessageMs > TABLE_QUIET_MS
    );
  }
}

/** How often it is looked whether the table has caught up. */
const POLL_MS = 10;
