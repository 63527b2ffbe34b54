import { type Message, type Producer, type Transaction } from 'kafkajs';
import { atMost, backoffMs, pause } from '../delay.js';
import { createDriver } from '../driver.js';
import { kafkajs } from '../driver-speed/kafkajs.js';
import { isRefused, protocolErrorType, UndeliverableError } from '../errors.js';
import {
  DRAIN_TIMEOUT_MS,
  FENCED_PUBLISH_MS,
  FENCED_RETRY,
  FENCED_SEND,
  MISSING_TOPIC_CHECKS,
  MISSING_TOPIC_MS,
  SENT_ONCE,
  STALLED_SEND_MS,
  TRANSACTION_TIMEOUT_MS,
} from '../limits.js';
import { type Fact, type Messaging } from '../messaging.js';
import { missingTopics } from '../topics.js';
import { partitionByKey } from '../producing/producer-connection.js';

/** Kafka's answers to a producer whose transactional id was taken over. */
const FENCED: ReadonlySet<string> = new Set([
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_ID_MAPPING',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_TXN_STATE',
]);

interface Session {
  readonly producer: Producer;
  /** The lock was confirmed after Kafka had assigned the name to this producer. */
  isConfirmed: boolean;
}

/**
 * Publishes for the holder of a lock that may be lost unnoticed. All publishers of one name write in Kafka
 * transactions of one transactional id. As soon as another starts under the name, Kafka refuses the former
 * one, however late its requests arrive (docs/decisions/outbox.md).
 */
export class FencedPublisher {
  private session: Promise<Session> | undefined;
  /** Topics that existed at the last check, and when one was missing. */
  private readonly existing = new Set<string>();
  private readonly missing = new Map<string, number>();
  private failingSinceMs: number | undefined;
  private readonly unwatch: () => void;

  /**
   * @param name without prefix
   * @param publishMs timeout of a call
   */
  constructor(
    private readonly messaging: Messaging,
    private readonly name: string,
    private readonly publishMs = FENCED_PUBLISH_MS,
  ) {
    this.unwatch = messaging.watch(() => !this.isStalled());
  }

  /** Resolves when Kafka is reachable. After a failed call, await it before taking the lock. */
  async ready(): Promise<void> {
    await this.bounded(async () => {
      await this.connected();
    });
    this.failingSinceMs = undefined;
  }

  /**
   * Publishes all of them or none, in order per key. A rejected call may have published them nevertheless.
   * @param confirm rejects when the lock is lost; called after Kafka has assigned the name to this publisher
   * @throws UndeliverableError when the broker will never accept one of them
   */
  async publish(facts: readonly Fact[], confirm: () => Promise<void>): Promise<void> {
    const { onMetric } = this.messaging;
    onMetric('messaging_send_messages', facts.length, { output: OUTPUT });
    try {
      await this.bounded(async (signal) => {
        await this.refuseMissing(facts, signal);
        await this.unlessFenced(signal, () => this.transact(facts, confirm, signal));
      });
      this.failingSinceMs = undefined;
    } catch (error) {
      if (error instanceof UndeliverableError) throw error;
      this.existing.clear();
      if (isRefused(error)) throw new UndeliverableError('The broker refuses the message', { cause: error });
      onMetric('messaging_send_retries_total', 1, { output: OUTPUT });
      this.failingSinceMs ??= performance.now();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.unwatch();
    await this.drop();
  }

  /** A failed producer is not reused: only Kafka knows the state of its transaction. */
  private async bounded(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const signal = AbortSignal.timeout(this.publishMs);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(new Error(`Kafka took longer than ${this.publishMs} ms`));
      });
    });
    try {
      await Promise.race([work(signal), late]);
    } catch (error) {
      void this.drop();
      throw error;
    }
  }

  /** Another publisher may have held the lock between two calls: the name is taken back, a single time. */
  private async unlessFenced(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted || !FENCED.has(protocolErrorType(error) ?? '')) throw error;
      await this.drop();
      await work();
    }
  }

  private async transact(
    facts: readonly Fact[],
    confirm: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const session = await this.connected();
    signal.throwIfAborted();
    // The first call takes the name, which aborts any transaction of a predecessor.
    const transaction = await session.producer.transaction();
    if (!session.isConfirmed) {
      // The request may have been in transit for longer than the lock was held.
      signal.throwIfAborted();
      await confirm();
      session.isConfirmed = true;
    }
    signal.throwIfAborted();
    await this.send(transaction, facts, signal);
    signal.throwIfAborted();
    await transaction.commit();
  }

  private async send(transaction: Transaction, facts: readonly Fact[], signal: AbortSignal): Promise<void> {
    const batch = { acks: -1, topicMessages: this.byTopic(facts) };
    for (let attempt = 0; ; attempt++) {
      try {
        await transaction.sendBatch(batch);
        return;
      } catch (error) {
        const mayRepeat = error instanceof kafkajs.KafkaJSNumberOfRetriesExceeded;
        if (!mayRepeat || attempt + 1 >= FENCED_SEND.tries) throw error;
        await pause(backoffMs(attempt, FENCED_SEND.initialMs, FENCED_SEND.maxMs), signal);
        signal.throwIfAborted();
      }
    }
  }

  /**
   * The driver retries a send to a missing topic for longer than a call may take. So topics are looked up
   * first, a single time until something fails. Metadata may lag behind a broker's start: a topic counts as
   * missing after several checks.
   */
  private async refuseMissing(facts: readonly Fact[], signal: AbortSignal): Promise<void> {
    const topics = new Set(facts.map(({ topic }) => topic));
    for (let checks = 0; ; checks++) {
      const missing = [...topics].filter((topic) => !this.existing.has(topic));
      if (missing.length === 0) return;
      const known = missing.find((topic) => this.isMissing(topic));
      if (known !== undefined) throw new UndeliverableError(`There is no topic ${known}`);
      if (checks > 0) await pause(backoffMs(checks), signal);
      signal.throwIfAborted();
      const gone = await this.goneAmong(missing);
      for (const topic of missing) if (!gone.has(topic)) this.existing.add(topic);
      if (checks < MISSING_TOPIC_CHECKS) continue;
      for (const topic of gone) this.missing.set(topic, performance.now());
    }
  }

  private async goneAmong(topics: readonly string[]): Promise<ReadonlySet<string>> {
    const names = topics.map((topic) => this.messaging.prefixed(topic));
    const gone = await this.messaging.administer((admin) => missingTopics(admin, names));
    return new Set(gone.map((name) => this.messaging.unprefixed(name)));
  }

  private isMissing(topic: string): boolean {
    return performance.now() - (this.missing.get(topic) ?? -Infinity) < MISSING_TOPIC_MS;
  }

  private byTopic(facts: readonly Fact[]): { topic: string; messages: Message[] }[] {
    const topics = new Map<string, Message[]>();
    for (const { topic, key, value, headers } of facts) {
      const messages = topics.get(topic) ?? [];
      messages.push({ key, value, ...(headers === undefined ? undefined : { headers: { ...headers } }) });
      topics.set(topic, messages);
    }
    return Array.from(topics, ([topic, messages]) => ({ topic: this.messaging.prefixed(topic), messages }));
  }

  private connected(): Promise<Session> {
    if (this.session !== undefined) return this.session;
    const opening = this.open();
    this.session = opening;
    opening.catch(() => {
      if (this.session === opening) this.session = undefined;
    });
    return opening;
  }

  private async open(): Promise<Session> {
    const producer = createDriver(this.messaging.driver, FENCED_RETRY).producer({
      transactionalId: this.messaging.prefixed(this.name),
      transactionTimeout: TRANSACTION_TIMEOUT_MS,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: partitionByKey,
      retry: SENT_ONCE,
    });
    try {
      await producer.connect();
      return { producer, isConfirmed: false };
    } catch (error) {
      await producer.disconnect();
      throw error;
    }
  }

  private async drop(): Promise<void> {
    const dropped = this.session;
    this.session = undefined;
    if (dropped === undefined) return;
    try {
      const { producer } = await dropped;
      await atMost(producer.disconnect(), DRAIN_TIMEOUT_MS);
    } catch {
      // It never connected, or its broker is down: there is nothing left to close.
    }
  }

  private isStalled(): boolean {
    return this.failingSinceMs !== undefined && performance.now() - this.failingSinceMs > STALLED_SEND_MS;
  }
}

const OUTPUT = 'outbox';
