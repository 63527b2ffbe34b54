import { type Message } from 'kafkajs';
import { backoffMs, atMost, pause } from '../delay.js';
import { administer, type DriverOptions } from '../driver.js';
import {
  describeError,
  isRefused,
  MessagingClosedError,
  protocolErrorType,
  UndeliverableError,
  UNKNOWN_TOPIC,
  WRONG_CLOCK,
} from '../errors.js';
import {
  CHUNK_BYTES,
  CHUNK_MESSAGES,
  FAILURES_PER_WARNING,
  GATHER_MS,
  GATHER_MS_PER_KIB,
  LAST_ANSWER_MS,
  MISSING_TOPIC_CHECKS,
  SEND_FAILURES_BEFORE_RECONNECT,
} from '../limits.js';
import { type MessagingMetrics } from '../metrics.js';
import { missingTopics } from '../topics.js';
import { ProducerConnection } from './producer-connection.js';
import { type Outgoing, SendQueue, WaitingForTopics } from './send-queue.js';

export interface PumpOptions<T> {
  readonly driver: DriverOptions;
  /** What it sends, in metrics and logs. */
  readonly output: keyof typeof GATHER_MS_PER_KIB;
  readonly acks: -1 | 1;
  readonly sendsInFlight: number;
  /**
   * Whether messages to a missing topic wait for it, apart from the others, or fail after some checks. While
   * this machine's clock is too far ahead for Kafka they wait until it is right, or fail at once.
   */
  readonly missingTopic: 'wait' | 'give-up';
  readonly onMetric: MessagingMetrics;
  /** What waits there is sent along with each chunk: a request to Kafka costs more than what it carries. */
  readonly passengers?: Pick<Pump<unknown>, 'board'>;
  /** What a send has for one topic, as fewer records: each costs the broker and its reader. */
  readonly bundled?: (messages: readonly Message[]) => readonly Message[];
  acknowledged(ticket: T): void;
  /** A broker has stamped what was sent just now with its own time. */
  stamped?(stampMs: number): void;
  /** Kafka will never accept it, or the pump was closed first. */
  failed(ticket: T, error: Error): void;
}

/** A chunk of one pump on its way in the send of another, which says whether Kafka has both. */
interface Boarded {
  readonly chunk: readonly Outgoing<unknown>[];
  ended(isAcknowledged: boolean): void;
}

/**
 * Natural batching: there are at most a few sends in flight, and messages that arrive meanwhile form the next
 * one, which waits a few milliseconds after a large one (`GATHER_MS_PER_KIB`): lowest latency when idle, largest
 * batches when busy. A send is retried until Kafka acknowledges it.
 */
export class Pump<T> {
  private readonly queue = new SendQueue<T>(CHUNK_MESSAGES, CHUNK_BYTES);
  private readonly connection: ProducerConnection;
  private readonly sending = new Set<{ readonly sinceMs: number }>();
  private readonly closed = new AbortController();
  private readonly waiting: WaitingForTopics<T>;
  private inFlightCount = 0;
  private inFlightBytes = 0;
  private isScheduled = false;
  private isClosing = false;
  private lastSend = { startMs: Number.NEGATIVE_INFINITY, bytes: 0 };
  private gathering: NodeJS.Timeout | undefined;
  private idleWaiters: (() => void)[] = [];

  constructor(private readonly options: PumpOptions<T>) {
    this.connection = new ProducerConnection(options.driver);
    this.waiting = new WaitingForTopics<T>({
      signal: this.closed.signal,
      missingAmong: (topics) => this.lookUp(topics),
      queue: this.queue,
      released: () => {
        this.flushSoon();
      },
    });
  }

  /** Messages that Kafka has not acknowledged yet. */
  get unsentCount(): number {
    return this.queue.count + this.inFlightCount + this.waiting.count;
  }

  get unsentBytes(): number {
    return this.queue.bytes + this.inFlightBytes + this.waiting.bytes;
  }

  /** Connects now instead of at the first send; retries until connected or closed. */
  async connect(): Promise<void> {
    for (let attempt = 0; !this.closed.signal.aborted; attempt++) {
      try {
        await this.connection.connect();
        return;
      } catch (error) {
        this.report('Kafka is not reachable, trying again', error, attempt);
        await pause(backoffMs(attempt), this.closed.signal);
      }
    }
  }

  push(outgoing: Outgoing<T>): void {
    if (this.closed.signal.aborted) {
      this.options.failed(outgoing.ticket, new MessagingClosedError('Closed'));
      return;
    }
    this.queue.push(outgoing);
    this.flushSoon();
  }

  /**
   * Hands the next chunk to another pump's send; undefined while this one may send nothing. If that send fails, this
   * pump sends the chunk itself, so that neither waits for the other's topics.
   */
  board(): Boarded | undefined {
    if (this.sending.size >= this.options.sendsInFlight || this.closed.signal.aborted) return undefined;
    const chunk = this.waiting.withoutFollowers(this.queue.takeChunk());
    if (chunk.length === 0) return undefined;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    void this.sendChunk(chunk, promise);
    return { chunk, ended: resolve };
  }

  /** How long the oldest send has waited for Kafka's acknowledgement, in milliseconds. */
  stalledMs(): number {
    let oldest: number | undefined;
    for (const { sinceMs } of this.sending)
      oldest = oldest === undefined ? sinceMs : Math.min(oldest, sinceMs);
    return oldest === undefined ? 0 : performance.now() - oldest;
  }

  /** Waits for everything to be acknowledged, but no longer than `timeoutMs`; the rest fails. */
  async close(timeoutMs: number): Promise<void> {
    this.isClosing = true;
    this.flush();
    if (this.unsentCount > 0) {
      await atMost(new Promise<void>((resolve) => this.idleWaiters.push(resolve)), timeoutMs);
    }
    this.closed.abort();
    for (const { ticket } of [...this.waiting.takeAll(), ...this.queue.takeAll()]) {
      this.options.failed(ticket, new MessagingClosedError('Closed before Kafka had it'));
    }
    // It has nothing to say any more; the driver would wait for whatever a broker that hangs was asked.
    const lastMs = Math.min(timeoutMs, LAST_ANSWER_MS);
    await atMost(Promise.all([this.waiting.ended(), this.connection.close()]), lastMs);
  }

  /**
   * Messages of the same turn of the event loop are sent together. This also prevents two sends from starting at a time, which the
   * driver's locks could reorder.
   */
  private flushSoon(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    while (this.sending.size < this.options.sendsInFlight && this.queue.count > 0) {
      const gatherMs = this.gatherMs();
      if (gatherMs > 0) return this.flushIn(gatherMs);
      const chunk = this.waiting.withoutFollowers(this.queue.takeChunk());
      if (chunk.length > 0) void this.sendChunk(chunk);
    }
  }

  /** How much longer messages gather for the next send. */
  private gatherMs(): number {
    if (this.isClosing || this.queue.hasChunk) return 0;
    const { startMs, bytes } = this.lastSend;
    const inAllMs = this.queue.isPressing
      ? (bytes / BYTES_PER_KIB) * GATHER_MS_PER_KIB[this.options.output]
      : GATHER_MS;
    return startMs + Math.min(inAllMs, GATHER_MS) - performance.now();
  }

  private flushIn(ms: number): void {
    clearTimeout(this.gathering);
    this.gathering = setTimeout(() => {
      this.flush();
    }, ms);
  }

  /** @param carried the outcome of another pump's send, which has the chunk on board */
  private async sendChunk(chunk: readonly Outgoing<T>[], carried?: Promise<boolean>): Promise<void> {
    const slot = { sinceMs: performance.now() };
    const bytes = chunk.reduce((sum, outgoing) => sum + outgoing.bytes, 0);
    this.lastSend = { startMs: slot.sinceMs, bytes };
    this.sending.add(slot);
    this.inFlightCount += chunk.length;
    this.inFlightBytes += bytes;
    this.options.onMetric('messaging_send_messages', chunk.length, { output: this.options.output });
    if ((await carried) === true) this.acknowledge(chunk);
    else if (this.closed.signal.aborted) this.fail(chunk, new MessagingClosedError('Closed'));
    else await this.deliver(chunk);
    this.inFlightCount -= chunk.length;
    this.inFlightBytes -= bytes;
    this.sending.delete(slot);
    this.flush();
    if (this.unsentCount === 0) {
      for (const resolve of this.idleWaiters.splice(0)) resolve();
    }
  }

  /** Retries one chunk until each of its messages is acknowledged or failed. Never rejects. */
  private async deliver(all: readonly Outgoing<T>[], checks = 0): Promise<void> {
    let chunk = all;
    for (let attempt = 0; chunk.length > 0; attempt++) {
      const generation = this.connection.generation;
      const boarded = attempt === 0 ? this.options.passengers?.board() : undefined;
      try {
        const topicMessages = byTopic(chunk, this.options.bundled);
        if (boarded !== undefined) topicMessages.push(...byTopic(boarded.chunk));
        const acks = boarded === undefined ? this.options.acks : ALL_COPIES;
        const stampMs = await this.connection.send({ acks, topicMessages });
        if (stampMs !== undefined) this.options.stamped?.(stampMs);
        boarded?.ended(true);
        this.acknowledge(chunk);
        return;
      } catch (error) {
        boarded?.ended(false);
        if (this.closed.signal.aborted) {
          this.fail(chunk, new MessagingClosedError('Closed before Kafka had it', { cause: error }));
          return;
        }
        this.options.onMetric('messaging_send_retries_total', 1, { output: this.options.output });
        // Whose fault it was is known when each travels alone.
        if (boarded !== undefined) continue;
        const type = protocolErrorType(error);
        const givesUp = this.options.missingTopic === 'give-up';
        if (isRefused(error) || (type === WRONG_CLOCK && givesUp)) return this.deliverSmaller(chunk, error);
        const isTopicUnknown = type === UNKNOWN_TOPIC;
        if (isTopicUnknown) await this.connection.replace(generation);
        if (isTopicUnknown && givesUp) {
          return this.deliverToExisting(chunk, checks + 1);
        }
        this.report('a send to Kafka failed, trying again', error, attempt, byTopic(chunk));
        if (isTopicUnknown) chunk = await this.waiting.withoutMissing(chunk).catch(() => chunk);
        if ((attempt + 1) % SEND_FAILURES_BEFORE_RECONNECT === 0) await this.connection.replace(generation);
        await pause(backoffMs(attempt), this.closed.signal);
      }
    }
  }

  /** A message that the broker refuses, mostly for its size, must not fail its neighbours. */
  private async deliverSmaller(chunk: readonly Outgoing<T>[], error: unknown): Promise<void> {
    if (chunk.length === 1) {
      this.fail(chunk, new UndeliverableError('The broker refuses the message', { cause: error }));
      return;
    }
    const middle = chunk.length >> 1;
    await this.deliver(chunk.slice(0, middle));
    await this.deliver(chunk.slice(middle));
  }

  /**
   * Messages to existing topics are sent at once; the others get some more checks, because metadata may lag.
   */
  private async deliverToExisting(chunk: readonly Outgoing<T>[], checks: number): Promise<void> {
    const names = await this.missingAmong(new Set(chunk.map(({ topic }) => topic)));
    const missing = chunk.filter(({ topic }) => names.includes(topic));
    const existing = chunk.filter(({ topic }) => !names.includes(topic));
    if (missing.length === 0) await pause(backoffMs(checks), this.closed.signal);
    await Promise.all([
      existing.length > 0 ? this.deliver(existing, checks) : undefined,
      missing.length > 0 ? this.deliverOrGiveUp(missing, checks) : undefined,
    ]);
  }

  private async deliverOrGiveUp(missing: readonly Outgoing<T>[], checks: number): Promise<void> {
    if (checks >= MISSING_TOPIC_CHECKS) {
      this.fail(missing, new UndeliverableError(`There is no topic ${missing[0]?.topic ?? ''}`));
      return;
    }
    await pause(backoffMs(checks), this.closed.signal);
    await this.deliver(missing, checks);
  }

  private async missingAmong(topics: ReadonlySet<string>): Promise<readonly string[]> {
    try {
      return await this.lookUp(topics);
    } catch (error) {
      this.report('the topics could not be looked up', error, 0);
      return [];
    }
  }

  private lookUp(topics: ReadonlySet<string>): Promise<readonly string[]> {
    return administer(this.options.driver, (admin) => missingTopics(admin, [...topics]));
  }

  private acknowledge(chunk: readonly Outgoing<T>[]): void {
    for (const { ticket } of chunk) this.options.acknowledged(ticket);
  }

  private fail(chunk: readonly Outgoing<T>[], error: Error): void {
    for (const { ticket } of chunk) this.options.failed(ticket, error);
  }

  /** @param sent what was sent: of a missing right Kafka does not say for which topic */
  private report(message: string, error: unknown, attempt: number, sent: readonly { topic: string }[] = []) {
    const level = attempt % FAILURES_PER_WARNING === 0 ? 'warn' : 'debug';
    const { output, driver } = this.options;
    const topics = sent.map(({ topic }) => topic).slice(0, TOLD_TOPICS);
    driver.log[level]({ output, topics, attempt, error: describeError(error) }, message);
  }
}

const BYTES_PER_KIB = 1_024;
const ALL_COPIES = -1;
/** In one line of the log. */
const TOLD_TOPICS = 5;

function byTopic(
  chunk: readonly Outgoing<unknown>[],
  bundled: PumpOptions<unknown>['bundled'] = (messages) => messages,
): { topic: string; messages: Message[] }[] {
  const topics = new Map<string, Message[]>();
  for (const { topic, message } of chunk) {
    const messages = topics.get(topic);
    if (messages === undefined) topics.set(topic, [message]);
    else messages.push(message);
  }
  return Array.from(topics, ([topic, messages]) => ({ topic, messages: [...bundled(messages)] }));
}
