import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { failure, formatAddress, readAddress } from '@truetally/kernel';
import { GroupConsumer } from '../consuming/group-consumer.js';
import { type Work } from '../consuming/work.js';
import { WorkQueue } from '../consuming/work-queue.js';
import { DEAD_LETTERS } from '../dead-letters.js';
import { describeError, UndeliverableError, UnreadableError } from '../errors.js';
import { DRAIN_TIMEOUT_MS, HANDLERS_IN_FLIGHT, LAST_ANSWER_MS, UNSTORED_REQUESTS } from '../limits.js';
import { type Messaging } from '../messaging.js';
import { decodeRequest, type IncomingRequest } from '../wire.js';
import { type BatchLimits, batchLimitsOf, type BatchOutcome } from './batch-pattern.js';
import { isExpired, tooOld } from '../broker-clock.js';
import { type Handle, handleBatch, handleEach } from './handlers.js';
import { traced } from './traced.js';
import { INTERNAL_ERROR, ReplySender } from './reply-sender.js';
import { UnknownOperations } from './unknown-operations.js';

/** The group of a service that reads a topic of its own. */
export function groupOfTopic(service: string, topic: string): string {
  return `${service}.${topic}`;
}

/** The consumer group that serves a service's requests, and its bounds. */
export interface KafkaServerOptions {
  /**
   * Without prefix. The topic of a BatchPattern, and one that carries operations, is read by the group
   * `<group>.<topic>`; all others together.
   */
  readonly group: string;
  /** Ordinary requests that are fetched and unfinished. */
  readonly unstored?: number;
  /** How long `close` waits for work in progress. */
  readonly drainTimeoutMs?: number;
}

/**
 * Serves requests from Kafka with ordinary Nest controllers. Handlers of `@MessagePattern` get one request
 * each, in order per key; those of `@BatchPattern` get all that wait. Delivery is at least once.
 */
export class KafkaServer extends Server implements CustomTransportStrategy {
  private readonly replies: ReplySender;
  private readonly unknown: UnknownOperations;
  private consumers: readonly GroupConsumer<IncomingRequest>[] = [];

  constructor(
    private readonly messaging: Messaging,
    private readonly options: KafkaServerOptions,
  ) {
    super();
    this.replies = new ReplySender(messaging);
    this.unknown = new UnknownOperations(messaging, this.replies);
  }

  /** Calls back when every topic is being read. */
  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      await this.messaging.ensureTopics([DEAD_LETTERS]);
      await this.replies.connect();
      this.consumers = this.createConsumers();
      await Promise.all(this.consumers.map((consumer) => consumer.start()));
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** Finishes and commits the work in progress, leaves its groups, and sends the remaining replies, all in its time. */
  async close(): Promise<void> {
    const timeoutMs = this.options.drainTimeoutMs ?? DRAIN_TIMEOUT_MS;
    const endMs = performance.now() + timeoutMs;
    this.unknown.close();
    await Promise.all(this.consumers.map((consumer) => consumer.close(timeoutMs)));
    await this.replies.close(Math.max(LAST_ANSWER_MS, endMs - performance.now()));
  }

  /** Its consumer groups, for `Messaging.lag`. */
  groups(): readonly string[] {
    return this.consumers.map(({ group }) => group);
  }

  on(event: string): never {
    throw new Error(`This server has no events, also not ${event}; see Messaging.healthy`);
  }

  unwrap<T = Messaging>(): T {
    return this.messaging as T;
  }

  private createConsumers(): readonly GroupConsumer<IncomingRequest>[] {
    const { group } = this.options;
    const handlers = new Map<string, MessageHandler>();
    const topicsOf = new Map<string, Set<string>>();
    const consumers: GroupConsumer<IncomingRequest>[] = [];
    for (const [address, handler] of this.getHandlers()) {
      if (address.startsWith('{'))
        throw new Error(`A handler's pattern is an object: ${address}; use @Handles.`);
      const { topic, operation } = readAddress(address);
      const limits = batchLimitsOf(handler.extras);
      if (limits !== undefined) {
        const handle = handleBatch(handler);
        consumers.push(
          this.createConsumer({ group: groupOfTopic(group, topic), topics: [topic], handle, limits }),
        );
        continue;
      }
      handlers.set(address, handler);
      const name = operation === undefined ? group : groupOfTopic(group, topic);
      topicsOf.set(name, (topicsOf.get(name) ?? new Set()).add(topic));
    }
    for (const [name, topics] of topicsOf) consumers.push(this.createOrdinary(name, topics, handlers));
    return consumers;
  }

  private createOrdinary(
    group: string,
    topics: Iterable<string>,
    handlers: ReadonlyMap<string, MessageHandler>,
  ): GroupConsumer<IncomingRequest> {
    const { unstored = UNSTORED_REQUESTS } = this.options;
    return this.createConsumer({
      group,
      topics: [...topics],
      handle: handleEach(handlers, this.messaging.clock),
      limits: { rows: 1, transactions: HANDLERS_IN_FLIGHT, unstored },
      orderOf: byKeyAndHolder,
      isKnown: (request) => handlers.has(formatAddress(request)),
    });
  }

  private createConsumer({
    group,
    topics,
    handle,
    limits,
    orderOf = noOrder,
    isKnown = () => true,
  }: Served): GroupConsumer<IncomingRequest> {
    const { messaging } = this;
    const queue = new WorkQueue<IncomingRequest, BatchOutcome>({
      ...limits,
      group,
      log: messaging.options.log,
      onMetric: messaging.onMetric,
      handle: messaging.tracing === undefined ? handle : traced(messaging.tracing, group, handle),
      refuse: (request) => this.refuse(request),
      isExpired: (request) => isExpired(request, messaging.clock),
      settle: (works, outcomes) => this.settle(group, works, outcomes),
      giveUp: (work, attempts, reason) => this.giveUp(group, work, attempts, reason),
    });
    return new GroupConsumer(messaging, {
      group,
      topics,
      queue,
      decode: (topic, partition, message) => {
        const place = { topic, partition, message, group };
        const unreadable = (reason: string) => () =>
          messaging.giveUp({ ...place, attempts: 0, reason: new UnreadableError(reason) });
        const request = decodeRequest(topic, partition, message);
        if (typeof request === 'string') return unreadable(request);
        if (request.isStamped) messaging.clock.observe(request.writtenMs);
        const age = tooOld(request, messaging.clock);
        if (age !== undefined) return unreadable(age);
        if (!isKnown(request)) return () => this.unknown.handle(request, place);
        return { item: request, weight: request.weight, ...orderOf(request) };
      },
    });
  }

  /** Whether its asker was told. What nobody waits for was promised to somebody. */
  private refuse(request: IncomingRequest): boolean {
    if (request.replyTopic === undefined) return false;
    this.replies.send(request, TOO_MUCH);
    return true;
  }

  private settle(
    group: string,
    works: readonly Work<IncomingRequest>[],
    outcomes: readonly BatchOutcome[],
  ): Promise<void> | undefined {
    outcomes.forEach(({ reply }, index) => {
      const work = works[index];
      if (work !== undefined) this.replies.send(work.item, reply);
    });
    if (outcomes.every(({ facts }) => facts === undefined || facts.length === 0)) return undefined;
    return this.publishFacts(group, works, outcomes);
  }

  /**
   * One publish for the whole batch. If the broker refuses it, each request's facts alone, to find the faulty
   * one.
   */
  private async publishFacts(
    group: string,
    works: readonly Work<IncomingRequest>[],
    outcomes: readonly BatchOutcome[],
  ): Promise<void> {
    try {
      const facts = outcomes.flatMap((outcome) => outcome.facts ?? []);
      // Behind the replies: nobody waits for them.
      await this.messaging.publish(facts, { mayGather: true });
    } catch (error) {
      // Closed before Kafka had them: the offsets must not be committed.
      if (!(error instanceof UndeliverableError)) throw error;
      const [work] = works;
      const [outcome] = outcomes;
      if (works.length === 1 && work !== undefined) {
        await this.messaging.giveUp({ ...work, group, attempts: 1, reason: error });
        return;
      }
      if (outcome === undefined) return;
      for (const [index, each] of works.entries()) {
        await this.publishFacts(group, [each], outcomes.slice(index, index + 1));
      }
    }
  }

  private async giveUp(
    group: string,
    work: Work<IncomingRequest>,
    attempts: number,
    reason: unknown,
  ): Promise<void> {
    await this.messaging.giveUp({ ...work, group, attempts, reason });
    this.replies.send(work.item, INTERNAL_ERROR);
    this.messaging.options.log.debug(
      { group, reason: describeError(reason) },
      'sent INTERNAL_ERROR to the caller',
    );
  }
}

const TOO_MUCH = failure('UNAVAILABLE', 'Too much of the same owner is unfinished');

/** What one consumer group of a server reads, and how it is handled. */
interface Served {
  readonly group: string;
  readonly topics: readonly string[];
  readonly handle: Handle;
  readonly limits: BatchLimits;
  readonly orderOf?: (request: IncomingRequest) => Order;
  readonly isKnown?: (request: IncomingRequest) => boolean;
}

type Order = Pick<Work<IncomingRequest>, 'holder' | 'lane'>;

function byKeyAndHolder({ topic, key, holder }: IncomingRequest): Order {
  return { lane: `${topic} ${key}`, holder };
}

function noOrder(): Order {
  return { lane: undefined };
}
