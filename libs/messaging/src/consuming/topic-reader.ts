import { randomBytes } from 'node:crypto';
import { type Consumer, type EachBatchPayload, type KafkaMessage } from 'kafkajs';
import { describeError } from '../errors.js';
import { FETCH_STALE_MS } from '../limits.js';
import { type Messaging } from '../messaging.js';
import { LogContinuity } from './log-continuity.js';
import { SupervisedConsumer } from './supervised-consumer.js';

export interface TopicReaderOptions {
  /** Without prefix. */
  readonly topic: string;
  /** Prefix of its groups' names; without the installation's prefix. */
  readonly group: string;
  readonly partitionBytes?: number;
  /** Where reading begins, by partition. Default: at the start. */
  readonly startOffsets?: ReadonlyMap<number, number>;
  /** Whether the process is unhealthy while it does not follow. Default: yes. */
  readonly isVital?: boolean;
  prepare?(signal: AbortSignal): Promise<void>;
  /** In order per partition. */
  onMessages(partition: number, messages: readonly KafkaMessage[]): void;
  /** All records below that offset have been delivered or do not exist. */
  onPosition?(partition: number, nextOffset: number): void;
  onFetched?(): void;
  /** The log was replaced: everything is delivered again, from the start. */
  onStartOver?(): void;
  /** A broker answers again after a while without any answer. */
  onGap?(gapMs: number): void;
}

interface Position {
  nextOffset: number;
  readonly continuity: LogContinuity;
}

/**
 * Reads a topic from its start or from given offsets, alone and without committing: the position is in memory. The driver
 * cannot read without a group, so each consumer uses a group of its own. No other member's rebalance affects
 * it, and after a crash it does not wait for its predecessor's session timeout. Kafka removes groups without
 * offsets by itself.
 */
export class TopicReader {
  private readonly consumer: SupervisedConsumer;
  private readonly positions = new Map<number, Position>();
  private readonly unwatch: () => void;
  private driver: Consumer | undefined;
  private lastFetched = { monotonicMs: performance.now(), wallMs: Date.now() };
  /** Set from a start over until its first records arrive; earlier fetches are ignored. */
  private isStartingOver = false;

  constructor(
    private readonly messaging: Messaging,
    private readonly options: TopicReaderOptions,
  ) {
    const run = randomBytes(RUN_BYTES).toString('hex');
    const { prepare, partitionBytes, startOffsets = new Map<number, number>(), isVital = true } = options;
    for (const [partition, nextOffset] of startOffsets) this.positionOf(partition).nextOffset = nextOffset;
    this.consumer = new SupervisedConsumer(messaging, options.group, {
      groupId: (incarnation) => messaging.prefixed(`${options.group}.${run}.${incarnation}`),
      topics: [messaging.prefixed(options.topic)],
      onBatch: (payload) => this.read(payload),
      onAssigned: (_assignment, consumer) => {
        this.driver = consumer;
        this.goOn();
      },
      onPassed: (_topic, partition, lastOffset) => {
        if (!this.isStartingOver) this.advance(partition, lastOffset + 1);
      },
      onFetched: () => {
        this.fetched();
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

  /** Delivers everything again, from the start of the topic. */
  startOver(): void {
    this.isStartingOver = true;
    for (const [partition, position] of this.positions) {
      position.nextOffset = 0;
      position.continuity.forget();
      this.seek(partition, 0);
    }
  }

  /** Without a commit the driver would start over after each join. The last record is compared again. */
  private goOn(): void {
    for (const [partition, { nextOffset, continuity }] of this.positions)
      this.seek(partition, continuity.lookBack() ?? nextOffset);
  }

  private seek(partition: number, offset: number): void {
    const topic = this.messaging.prefixed(this.options.topic);
    this.driver?.seek({ topic, partition, offset: String(offset) });
  }

  private read({ batch, isStale }: EachBatchPayload): Promise<void> {
    // Fetched before the last seek.
    if (isStale()) return Promise.resolve();
    this.isStartingOver = false;
    const { continuity } = this.positionOf(batch.partition);
    const verdict = continuity.judge(batch.messages);
    if (verdict.kind === 'look-back') this.seek(batch.partition, verdict.offset);
    else if (verdict.kind === 'another-log') {
      this.messaging.options.log.warn(
        { topic: this.options.topic, partition: batch.partition },
        'the log is not the one that was read, it is read from its beginning',
      );
      this.startOver();
      this.options.onStartOver?.();
    } else {
      this.options.onMessages(batch.partition, verdict.messages);
      this.advance(batch.partition, Number(batch.lastOffset()) + 1);
    }
    return Promise.resolve();
  }

  private positionOf(partition: number): Position {
    const known = this.positions.get(partition);
    if (known !== undefined) return known;
    const position = { nextOffset: 0, continuity: new LogContinuity(true) };
    this.positions.set(partition, position);
    return position;
  }

  private advance(partition: number, nextOffset: number): void {
    this.positionOf(partition).nextOffset = nextOffset;
    this.options.onPosition?.(partition, nextOffset);
  }

  /** Also by wall clock: the monotonic clock stops while a machine sleeps. */
  private fetched(): void {
    const now = { monotonicMs: performance.now(), wallMs: Date.now() };
    const { monotonicMs, wallMs } = this.lastFetched;
    this.lastFetched = now;
    const gapMs = Math.max(now.monotonicMs - monotonicMs, now.wallMs - wallMs);
    if (gapMs > FETCH_STALE_MS) this.options.onGap?.(gapMs);
    this.options.onFetched?.();
  }

  /** Context for error messages. */
  describe(error: unknown): { readonly topic: string; readonly error: string } {
    return { topic: this.options.topic, error: describeError(error) };
  }
}

const RUN_BYTES = 4;
