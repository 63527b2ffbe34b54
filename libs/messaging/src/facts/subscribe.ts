import { type KafkaMessage } from 'kafkajs';
import { GroupConsumer } from '../consuming/group-consumer.js';
import { WorkQueue } from '../consuming/work-queue.js';
import { DEAD_LETTERS, type GivenUp } from '../dead-letters.js';
import { type Waiting } from '../driver-speed/open-fetches.js';
import { FACTS_PER_CALL, UNSTORED_FACTS } from '../limits.js';
import { type Messaging } from '../messaging.js';
import { text, unpacked } from '../wire.js';

/** A fact as a subscription receives it, with its position in the log. Its fields are decoded when they are read. */
export interface ReceivedFact {
  /** Without prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** When it was written, in epoch milliseconds. */
  readonly timestampMs: number;
}

/** Which facts a consumer group reads, and what handles them. */
export interface SubscriptionOptions {
  /** Without prefix, as is the group. */
  readonly topics: readonly string[];
  readonly group: string;
  /** Maximum number of facts per handler call. */
  readonly factsPerCall?: number;
  /**
   * While facts arrive, a fetch waits for so many bytes, at most so long, so that calls are few and large; those
   * after a quiet time are handled at once. Default: all are.
   */
  readonly gathered?: Waiting;
  /** Before it joins its group, also behind a failure or a stop of the process: Kafka may have forgotten the group's place. It is tried until it succeeds. */
  readonly beforeJoining?: () => Promise<void>;
  /** Whether a fact is passed over, by its bytes: one that is not read costs a fraction. Never throws. Default: none is. */
  isPassed?(topic: string, value: Buffer | null): boolean;
  /**
   * One call at a time, in order per partition. When it throws, the call is retried until it succeeds, and later
   * facts wait; where a fact is at fault (`isPoison`, UnreadableError) the batch is split until that one is
   * alone. It may receive a fact again, also after later ones: when a partition moves, its former owner
   * finishes the call that has begun. So a stored state is replaced by a newer version only.
   */
  handler(facts: readonly ReceivedFact[]): Promise<void>;
  /** Closes it, also while it still waits for Kafka to read. */
  readonly signal?: AbortSignal;
  /** Takes a message that cannot be handled; it is passed when this resolves. Default: the dead-letter topic takes it. */
  giveUp?(given: GivenUp): Promise<void>;
}

/** A running subscription. */
export interface Subscription {
  /** Finishes and commits the work in progress. */
  close(): Promise<void>;
}

/** Subscribes to facts, at least once each; a new group starts at the oldest one. Resolves when it reads. */
export async function subscribe(messaging: Messaging, options: SubscriptionOptions): Promise<Subscription> {
  const { topics, group, handler, signal } = options;
  const { giveUp = (given: GivenUp) => messaging.giveUp(given) } = options;
  if (options.giveUp === undefined) await messaging.ensureTopics([DEAD_LETTERS], signal);
  const rows = options.factsPerCall ?? FACTS_PER_CALL;
  const queue = new WorkQueue<ReceivedFact, undefined>({
    group,
    rows,
    transactions: 1,
    isOrdered: true,
    // The next call gathers while one is under way.
    unstored: Math.max(UNSTORED_FACTS, 2 * rows),
    log: messaging.options.log,
    onMetric: messaging.onMetric,
    handle: async (facts) => {
      await handler(facts);
      return facts.map(() => undefined);
    },
    isExpired: () => false,
    settle: () => undefined,
    giveUp: (work, attempts, reason) => giveUp({ ...work, group, attempts, reason }),
  });
  const consumer = new GroupConsumer<ReceivedFact>(messaging, {
    group,
    topics,
    queue,
    gathered: options.gathered,
    beforeJoining: options.beforeJoining,
    decode: (topic, partition, message) =>
      options.isPassed?.(topic, message.value) === true
        ? undefined
        : { item: decodeFact(topic, partition, message), weight: 1, lane: undefined },
  });
  const close = (): Promise<void> => consumer.close();
  signal?.addEventListener('abort', () => void close());
  if (signal?.aborted !== true) await consumer.start();
  return { close };
}

/** A record as a subscription receives it. */
export function decodeFact(topic: string, partition: number, message: KafkaMessage): ReceivedFact {
  return new Received(topic, partition, message);
}

/**
 * What is not asked for is not decoded. What is, is not kept: thousands of facts may wait, and the collector copies their
 * texts each time, but not the bytes that they are read from.
 */
class Received implements ReceivedFact {
  constructor(
    readonly topic: string,
    readonly partition: number,
    private readonly message: KafkaMessage,
  ) {}

  get offset(): string {
    return this.message.offset;
  }

  get key(): string {
    return this.message.key?.toString() ?? '';
  }

  get value(): string | null {
    return this.message.value?.toString() ?? null;
  }

  get headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(unpacked(this.message.headers))) {
      const single = text(value);
      if (single !== undefined) headers[name] = single;
    }
    return headers;
  }

  get timestampMs(): number {
    return Number(this.message.timestamp);
  }
}
