import { type KafkaMessage } from 'kafkajs';
import { TopicReader } from '../consuming/topic-reader.js';
import { pause } from '../delay.js';
import { type Messaging } from '../messaging.js';

/** A record of a tail, with its position in the log. */
export interface TailRecord {
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly value: Buffer;
}

/** Offsets by partition. */
type Offsets = ReadonlyMap<number, number>;

/** Which records of a topic to read, and what receives them. */
export interface TopicTailOptions {
  /** Without prefix. */
  readonly topic: string;
  /** Reading begins at the first records that were written so long ago. */
  readonly sinceMs: number;
  /** At most so many records of each partition are read that were written before. */
  readonly mostPerPartition: number;
  /** Where it begins to read, told before the first record. */
  onStart(starts: Offsets): void;
  /** In order per partition; a repetition is possible. Records without a value are left out. */
  onRecords(records: readonly TailRecord[]): void;
  /** The log was replaced: offsets mean other records from now on. The tail is to be closed. */
  onReplaced(): void;
}

/**
 * Follows the newest records of a topic, alone and without committing. It is an observer: the process is healthy without
 * it.
 */
export class TopicTail {
  private readonly reader: TopicReader;
  private readonly positions: Map<number, number>;
  private isClosed = false;

  private constructor(
    messaging: Messaging,
    { topic, onRecords, onReplaced }: TopicTailOptions,
    starts: Offsets,
  ) {
    this.positions = new Map(starts);
    this.reader = new TopicReader(messaging, {
      group: `tail.${topic}.${messaging.options.instance}`,
      isVital: false,
      feeds: [
        {
          topic,
          startOffsets: starts,
          onMessages: (partition, messages) => {
            onRecords(messages.flatMap((message) => recordsOf(partition, message)));
          },
          onPosition: (partition, nextOffset) => {
            this.positions.set(partition, nextOffset);
          },
          onStartOver: onReplaced,
        },
      ],
    });
  }

  /**
   * Resolves when everything was read that the topic had at the call. The topic must exist.
   * @throws Error when Kafka cannot be asked, or the signal aborts
   */
  static async open(
    messaging: Messaging,
    options: TopicTailOptions,
    signal: AbortSignal,
  ): Promise<TopicTail> {
    const { topic, sinceMs, mostPerPartition } = options;
    const name = messaging.prefixed(topic);
    const [ends, since] = await messaging.administer(async (admin) => [
      await admin.fetchTopicOffsets(name),
      await admin.fetchTopicOffsetsByTimestamp(name, Date.now() - sinceMs),
    ]);
    const starts = new Map<number, number>();
    for (const { partition, low, high } of ends) {
      const found = since.find((each) => each.partition === partition);
      const first = found === undefined ? Number(high) : Number(found.offset);
      starts.set(partition, Math.max(Number(low), first, Number(high) - mostPerPartition));
    }
    options.onStart(starts);
    const tail = new TopicTail(messaging, options, starts);
    const stop = (): void => void tail.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await tail.reader.start();
      await tail.hasRead(new Map(ends.map(({ partition, high }) => [partition, Number(high)])), signal);
    } catch (error) {
      await tail.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return tail;
  }

  /** Next offsets of the topic's partitions. @throws Error when Kafka cannot be asked */
  static async ends(messaging: Messaging, topic: string): Promise<Offsets> {
    const found = await messaging.administer((admin) => admin.fetchTopicOffsets(messaging.prefixed(topic)));
    return new Map(found.map(({ partition, high }) => [partition, Number(high)]));
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.reader.stop();
  }

  private async hasRead(ends: Offsets, signal: AbortSignal): Promise<void> {
    while ([...ends].some(([partition, end]) => (this.positions.get(partition) ?? 0) < end)) {
      signal.throwIfAborted();
      await pause(POLL_MS);
    }
    signal.throwIfAborted();
  }
}

function recordsOf(partition: number, { key, value, offset }: KafkaMessage): readonly TailRecord[] {
  if (value === null) return [];
  return [{ partition, offset: Number(offset), key: key?.toString() ?? '', value }];
}

/** How often to check whether it has caught up. */
const POLL_MS = 10;
