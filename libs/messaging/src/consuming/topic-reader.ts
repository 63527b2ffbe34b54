import { randomBytes } from 'node:crypto';
import { type Consumer, type EachBatchPayload, type KafkaMessage } from 'kafkajs';
import { type Messaging } from '../messaging.js';
import { LogContinuity } from './log-continuity.js';
import { SupervisedConsumer } from './supervised-consumer.js';

/** One topic of a reader, and what receives its records. */
export interface TopicFeed {
  /** Without prefix. */
  readonly topic: string;
  /** Where reading begins, by partition. Default: at the start. */
  readonly startOffsets?: ReadonlyMap<number, number>;
  /** In order per partition. */
  onMessages(partition: number, messages: readonly KafkaMessage[]): void;
  /** All records below that offset have been delivered or do not exist. */
  onPosition?(partition: number, nextOffset: number): void;
  /** A broker answered with nothing of that partition. */
  onNothing?(partition: number): void;
  /** The log was replaced: everything is delivered again, from the start. */
  onStartOver?(): void;
  /** A broker answers again after a while without any answer. */
  onGap?(gapMs: number): void;
}

export interface TopicReaderOptions {
  readonly feeds: readonly TopicFeed[];
  /** Prefix of its groups' names; without the installation's prefix. */
  readonly group: string;
  readonly partitionBytes?: number;
  /** Whether the process is unhealthy while it does not follow. Default: yes. */
  readonly isVital?: boolean;
  prepare?(signal: AbortSignal): Promise<void>;
}

interface Position {
  nextOffset: number;
  readonly continuity: LogContinuity;
}

/** How far a topic was read. */
class Reading {
  readonly positions = new Map<number, Position>();
  /** Set from a start over until its first records arrive; earlier fetches are ignored. */
  isStartingOver = false;

  constructor(readonly feed: TopicFeed) {
    for (const [partition, nextOffset] of feed.startOffsets ?? []) this.at(partition).nextOffset = nextOffset;
  }

  at(partition: number): Position {
    const known = this.positions.get(partition);
    if (known !== undefined) return known;
    const position = { nextOffset: 0, continuity: new LogContinuity(true) };
    this.positions.set(partition, position);
    return position;
  }

  advance(partition: number, nextOffset: number): void {
    this.at(partition).nextOffset = nextOffset;
    this.feed.onPosition?.(partition, nextOffset);
  }
}

/**
 * Reads topics from their start or from given offsets, alone and without committing: the position is in memory. The driver
 * cannot read without a group, so each consumer uses a group of its own. No other member's rebalance affects
 * it, and after a crash it does not wait for its predecessor's session timeout. Kafka removes groups without
 * offsets by itself.
 */
export class TopicReader {
  private readonly consumer: SupervisedConsumer;
  /** By topic, with the prefix. */
  private readonly readings: ReadonlyMap<string, Reading>;
  private readonly unwatch: () => void;
  private driver: Consumer | undefined;
  private lastFetched = { monotonicMs: performance.now(), wallMs: Date.now() };

  constructor(
    private readonly messaging: Messaging,
    options: TopicReaderOptions,
  ) {
    const run = randomBytes(RUN_BYTES).toString('hex');
    const { feeds, prepare, partitionBytes, isVital = true } = options;
    this.readings = new Map(feeds.map((feed) => [messaging.prefixed(feed.topic), new Reading(feed)]));
    this.consumer = new SupervisedConsumer(messaging, options.group, {
      groupId: (incarnation) => messaging.prefixed(`${options.group}.${run}.${incarnation}`),
      isAlone: true,
      topics: [...this.readings.keys()],
      onBatch: (payload) => this.read(payload),
      onAssigned: (_assignment, consumer) => {
        this.driver = consumer;
        this.goOn();
      },
      onPassed: (topic, partition, lastOffset) => {
        const reading = this.readings.get(topic);
        if (reading?.isStartingOver === false) reading.advance(partition, lastOffset + 1);
      },
      onFetched: () => {
        this.fetched();
      },
      onNothing: (topic, partition) => {
        this.readings.get(topic)?.feed.onNothing?.(partition);
      },
      ...(prepare === undefined ? undefined : { prepare }),
      ...(partitionBytes === undefined ? undefined : { partitionBytes }),
    });
    this.unwatch = messaging.watch(() => !isVital || this.isFollowing());
  }

  start(): Promise<void> {
    return this.consumer.start();
  }

  isFollowing(): boolean {
    return this.consumer.isFollowing();
  }

  async stop(): Promise<void> {
    this.unwatch();
    await this.consumer.stop();
  }

  /** Delivers everything of a topic again, from its start. */
  startOver(topic: string): void {
    const name = this.messaging.prefixed(topic);
    const reading = this.readings.get(name);
    if (reading === undefined) return;
    reading.isStartingOver = true;
    for (const [partition, position] of reading.positions) {
      position.nextOffset = 0;
      position.continuity.forget();
      this.seek(name, partition, 0);
    }
  }

  /** Without a commit the driver would start over after each join. The last record is compared again. */
  private goOn(): void {
    for (const [topic, { positions }] of this.readings) {
      for (const [partition, { nextOffset, continuity }] of positions)
        this.seek(topic, partition, continuity.lookBack() ?? nextOffset);
    }
  }

  /** While its consumer is being replaced the next one begins there, and the driver of this one throws. */
  private seek(topic: string, partition: number, offset: number): void {
    if (!this.consumer.isMember) return;
    this.driver?.seek({ topic, partition, offset: String(offset) });
  }

  private read({ batch, isStale }: EachBatchPayload): Promise<void> {
    const reading = this.readings.get(batch.topic);
    // Fetched before the last seek.
    if (reading === undefined || isStale()) return Promise.resolve();
    reading.isStartingOver = false;
    const { continuity } = reading.at(batch.partition);
    const verdict = continuity.judge(batch.messages);
    if (verdict.kind === 'look-back') this.seek(batch.topic, batch.partition, verdict.offset);
    else if (verdict.kind === 'another-log') {
      const { topic } = reading.feed;
      this.messaging.options.log.warn(
        { topic, partition: batch.partition },
        'the log is not the one that was read, it is read from its beginning',
      );
      this.startOver(topic);
      reading.feed.onStartOver?.();
    } else {
      reading.feed.onMessages(batch.partition, verdict.messages);
      reading.advance(batch.partition, Number(batch.lastOffset()) + 1);
    }
    return Promise.resolve();
  }

  /** Also by wall clock: the monotonic clock stops while a machine sleeps. */
  private fetched(): void {
    const now = { monotonicMs: performance.now(), wallMs: Date.now() };
    const { monotonicMs, wallMs } = this.lastFetched;
    this.lastFetched = now;
    const gapMs = Math.max(now.monotonicMs - monotonicMs, now.wallMs - wallMs);
    if (gapMs <= this.consumer.staleMs) return;
    for (const { feed } of this.readings.values()) feed.onGap?.(gapMs);
  }
}

const RUN_BYTES = 4;
