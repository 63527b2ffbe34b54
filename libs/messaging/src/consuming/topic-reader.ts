import { randomBytes } from 'node:crypto';
import { type Consumer, type EachBatchPayload, type KafkaMessage } from 'kafkajs';
import { describeError } from '../errors.js';
import { type Messaging } from '../messaging.js';
import { SupervisedConsumer } from './supervised-consumer.js';

export interface TopicReaderOptions {
  /** Without prefix. */
  readonly topic: string;
  /** Begins the names of its groups; without prefix. */
  readonly group: string;
  readonly partitionBytes?: number;
  prepare?(signal: AbortSignal): Promise<void>;
  /** In order per partition. */
  onMessages(partition: number, messages: readonly KafkaMessage[]): void;
  /** All records below that offset have been given or do not exist. */
  onPosition?(partition: number, nextOffset: number): void;
  onFetched?(): void;
}

/**
 * Reads a whole topic from its beginning, alone and without committing: the position is in memory. The driver
 * cannot read without a group, so each consumer takes a group of its own: nobody else's rebalance touches it, and
 * after a crash it does not wait for its predecessor's session to end. Groups without offsets vanish by themselves.
 */
export class TopicReader {
  private readonly consumer: SupervisedConsumer;
  private readonly positions = new Map<number, number>();
  private readonly unwatch: () => void;

  constructor(
    private readonly messaging: Messaging,
    private readonly options: TopicReaderOptions,
  ) {
    const run = randomBytes(RUN_BYTES).toString('hex');
    const { prepare, onFetched, partitionBytes } = options;
    this.consumer = new SupervisedConsumer(messaging, options.group, {
      groupId: (incarnation) => messaging.prefixed(`${options.group}.${run}.${incarnation}`),
      topics: [messaging.prefixed(options.topic)],
      onBatch: (payload) => this.read(payload),
      onAssigned: (_assignment, consumer) => {
        this.seek(consumer);
      },
      onPassed: (_topic, partition, lastOffset) => {
        this.advance(partition, lastOffset + 1);
      },
      ...(prepare === undefined ? undefined : { prepare }),
      ...(onFetched === undefined ? undefined : { onFetched }),
      ...(partitionBytes === undefined ? undefined : { partitionBytes }),
    });
    this.unwatch = messaging.watch(() => this.isFollowing());
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

  /** Without a commit the driver would begin anew after each join. */
  private seek(consumer: Consumer): void {
    const topic = this.messaging.prefixed(this.options.topic);
    for (const [partition, offset] of this.positions)
      consumer.seek({ topic, partition, offset: String(offset) });
  }

  private read({ batch }: EachBatchPayload): Promise<void> {
    this.options.onMessages(batch.partition, batch.messages);
    this.advance(batch.partition, Number(batch.lastOffset()) + 1);
    return Promise.resolve();
  }

  private advance(partition: number, nextOffset: number): void {
    this.positions.set(partition, nextOffset);
    this.options.onPosition?.(partition, nextOffset);
  }

  /** For messages about it. */
  describe(error: unknown): { readonly topic: string; readonly error: string } {
    return { topic: this.options.topic, error: describeError(error) };
  }
}

const RUN_BYTES = 4;
