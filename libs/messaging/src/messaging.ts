import { formatAddress, utf8Bytes } from '@truetally/kernel';
import { type Tracing } from '@truetally/tracing';
import { type Admin, type IHeaders, type KafkaMessage } from 'kafkajs';
import { type AccessRule, setAccess } from './access.js';
import { BrokerClock } from './broker-clock.js';
import { DEAD_LETTERS, deadLetterHeaders, type GivenUp, withoutNulls } from './dead-letters.js';
import { backoffMs, pause } from './delay.js';
import { administer, type DriverOptions } from './driver.js';
import { describeError, MessagingClosedError, UndeliverableError } from './errors.js';
import {
  DRAIN_TIMEOUT_MS,
  FACT_SENDS_IN_FLIGHT,
  FAILURES_PER_WARNING,
  MESSAGE_OVERHEAD_BYTES,
  REPLIES_PREFIX,
  STALLED_SEND_MS,
} from './limits.js';
import { type GroupLag, lagOfGroups } from './lag.js';
import { type MessagingLog } from './log.js';
import { type MessagingMetrics } from './metrics.js';
import { Pump, type PumpOptions } from './producing/pump.js';
import { describeTopics, ensureTopics, type TopicDescription, type TopicSpec } from './topics.js';
import { checkReplication } from './replication.js';
import { type KafkaSecurity } from './security.js';
import { HEADER, text, unpacked } from './wire.js';
import { type PartitionCounts, raisePartitions, withConfiguredPartitions } from './configured-partitions.js';

/** How a process connects to Kafka, and its name there. */
export interface MessagingOptions {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Unique name of this process among its kind. */
  readonly instance: string;
  /** Prefix of every topic and group, so that tests can share a broker. May be empty. */
  readonly topicPrefix: string;
  readonly log: MessagingLog;
  readonly onMetric?: MessagingMetrics;
  /**
   * Whether its own readers (tables, replies) notice within 13 seconds instead of 5 that no broker answers, and cost a quarter while nothing
   * happens: for processes that nobody asks for an answer that rests on their age. Default: no.
   */
  readonly isPatient?: boolean;
  /** Whether topics must be on at least two brokers. Default: only a warning, as on one machine. */
  readonly requireReplication?: boolean;
  /** Where spans of this process are recorded. Default: nowhere. */
  readonly tracing?: Tracing | undefined;
  /** Default: plain connections. */
  readonly security?: KafkaSecurity;
  /** Default: those of the topics. */
  readonly partitions?: PartitionCounts;
}

/** Something that became true, published to any number of consumers. */
export interface Fact {
  /** Without prefix. */
  readonly topic: string;
  readonly key: string;
  /** Text, usually JSON; null deletes the key from a compacted topic. */
  readonly value: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One process's access to Kafka, shared by its asking, serving and following parts. */
export class Messaging {
  readonly onMetric: MessagingMetrics;
  readonly tracing: Tracing | undefined;
  readonly driver: DriverOptions;
  readonly clock: BrokerClock;
  readonly facts: Pump<Countdown>;
  private readonly parts = new Set<() => boolean>();
  private readonly closed = new AbortController();
  private isStarted = false;
  private isReplicationTold = false;

  constructor(readonly options: MessagingOptions) {
    this.onMetric = options.onMetric ?? ((): void => undefined);
    this.tracing = options.tracing;
    const { brokers, clientId, log, security = {} } = options;
    this.driver = { brokers, clientId, log, security };
    this.clock = new BrokerClock(options.log, this.onMetric);
    this.facts = this.createPump<Countdown>({
      output: 'facts',
      acks: -1,
      sendsInFlight: FACT_SENDS_IN_FLIGHT,
      missingTopic: 'wait',
      acknowledged: (countdown) => {
        countdown.acknowledged();
      },
      failed: (countdown, error) => {
        countdown.failed(error);
      },
    });
  }

  /** Connects; retries while Kafka is unavailable, until it connects or `close` is called. */
  async start(): Promise<void> {
    await this.facts.connect();
    this.isStarted = true;
  }

  /**
   * Creates missing topics, and configures existing ones; retries while Kafka is unavailable, until closed or
   * aborted.
   * @throws NotReplicatedError where replication is required and a topic is on one broker
   */
  async ensureTopics(topics: readonly TopicSpec[], signal: AbortSignal = this.closed.signal): Promise<void> {
    // A topic may be listed twice, by its owner and by its reader; the driver would then create none of them.
    const distinct = new Map(topics.map((topic) => [topic.name, topic]));
    const { partitions = new Map<string, number>() } = this.options;
    const wanted = withConfiguredPartitions([...distinct.values()], partitions);
    const prefixed = wanted.map((topic) => ({ ...topic, name: this.prefixed(topic.name) }));
    const configured = prefixed.filter(({ name }) => partitions.has(this.unprefixed(name)));
    let found: ReadonlyMap<string, TopicDescription> = new Map();
    const ensure = async (admin: Admin): Promise<void> => {
      found = await ensureTopics(admin, prefixed, this.options.log);
      await raisePartitions(admin, configured, found, this.options.log);
    };
    await this.untilDone('create topics', () => this.administer(ensure), signal);
    const { requireReplication = false, log } = this.options;
    this.isReplicationTold = checkReplication(prefixed, found, {
      isRequired: requireReplication,
      isTold: this.isReplicationTold,
      log,
    });
  }

  /** All topics of this installation on the brokers, except reply topics; names without the prefix. */
  topics(): Promise<readonly TopicDescription[]> {
    return this.administer(async (admin) => {
      const { topicPrefix } = this.options;
      const own = (await admin.listTopics())
        .filter((name) => name.startsWith(topicPrefix))
        .filter((name) => !this.unprefixed(name).startsWith(REPLIES_PREFIX) && !name.startsWith('__'));
      const found = await describeTopics(admin, own.toSorted());
      return [...found.values()].map((topic) => ({ ...topic, name: this.unprefixed(topic.name) }));
    });
  }

  /** Gives the users of these rules exactly these permissions. Requires permission to alter the cluster. */
  setAccess(rules: readonly AccessRule[]): Promise<{ readonly added: number; readonly removed: number }> {
    return this.administer((admin) => setAccess(admin, rules));
  }

  /**
   * Resolves when Kafka has acknowledged all of them (`acks=all`), in order per key. Retries until then or
   * until closed, which rejects. Also rejects with UndeliverableError for a fact that is too large for the
   * broker. Facts that may gather are sent up to `GATHER_MS` later, so that busy publishers send less often.
   */
  publish(facts: readonly Fact[], { mayGather = false } = {}): Promise<void> {
    if (facts.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const countdown = new Countdown(facts.length, resolve, reject);
      for (const { topic, key, value, headers } of facts) {
        this.facts.push({
          topic: this.prefixed(topic),
          message: headers === undefined ? { key, value } : { key, value, headers: { ...headers } },
          bytes: MESSAGE_OVERHEAD_BYTES + key.length + (value === null ? 0 : utf8Bytes(value)),
          ticket: countdown,
          mayGather,
        });
      }
    });
  }

  /** Kafka accepts published messages, and every consumer and table of this process follows its topics. */
  healthy(): boolean {
    if (!this.isStarted || this.closed.signal.aborted || this.facts.stalledMs() > STALLED_SEND_MS)
      return false;
    for (const isHealthy of this.parts) if (!isHealthy()) return false;
    return true;
  }

  /**
   * The lag of each consumer group of this installation, or of one, as Kafka knows it.
   * @param group without prefix
   * @param topics that the group reads, also where Kafka does not know it yet
   */
  lag(group?: string, topics?: readonly string[]): Promise<readonly GroupLag[]> {
    return this.administer((admin) => lagOfGroups(admin, this.options.topicPrefix, group, topics));
  }

  /** Call it last, after clients, servers, subscriptions and tables: it waits for pending sends, unless Kafka is away. */
  async close(): Promise<void> {
    await this.facts.close(this.facts.stalledMs() > STALLED_SEND_MS ? 0 : DRAIN_TIMEOUT_MS);
    this.closed.abort();
  }

  // For the other parts of this library ---------------------------------------------------------------------------

  prefixed(name: string): string {
    return this.options.topicPrefix + name;
  }

  unprefixed(name: string): string {
    const { topicPrefix } = this.options;
    return name.startsWith(topicPrefix) ? name.slice(topicPrefix.length) : name;
  }

  createPump<T>(options: Omit<PumpOptions<T>, 'driver' | 'onMetric'>): Pump<T> {
    return new Pump({ ...options, driver: this.driver, onMetric: this.onMetric });
  }

  administer<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
    return administer(this.driver, work);
  }

  /** Includes a part in `healthy`; the returned function excludes it again. */
  watch(isHealthy: () => boolean): () => void {
    this.parts.add(isHealthy);
    return () => this.parts.delete(isHealthy);
  }

  /** Resolves when the dead-letter topic has the message. @param letters the topic, by default the platform's */
  async giveUp(given: GivenUp, letters: string = DEAD_LETTERS.name): Promise<void> {
    const { topic, group, partition, message, reason } = given;
    if (topic === letters) {
      // Dead-lettering it again would loop for ever. It stays where it is, and its reader has lost one.
      this.options.log.error(
        { group, partition, offset: message.offset, reason: describeError(reason) },
        'dead letter passed over',
      );
      return;
    }
    const address = formatAddress({ topic, operation: text(unpacked(message.headers)[HEADER.operation]) });
    this.onMetric('messaging_dead_letters_total', 1, { topic: address, group });
    this.options.log.error(
      { topic: address, group, partition, offset: message.offset, reason: describeError(reason) },
      'message given up, it is in the dead letters',
    );
    try {
      await this.bury(letters, given, message.value);
    } catch (error) {
      if (!(error instanceof UndeliverableError)) throw error;
      // With our headers it exceeds the broker's limit. Its value is still at its original place.
      await this.bury(
        letters,
        { ...given, isValueLeftOut: true, reason: `${describeError(reason)} (value left out: too large)` },
        null,
      );
    }
  }

  /** Writes a message to its topic again, with headers added to its own. Resolves when Kafka has it. */
  putBack({ topic, message }: Pick<GivenUp, 'message' | 'topic'>, headers: IHeaders): Promise<void> {
    const { key, value } = message;
    return this.write(topic, { key, value, headers: { ...withoutNulls(message.headers), ...headers } });
  }

  private bury(letters: string, given: GivenUp, value: Buffer | null): Promise<void> {
    return this.write(letters, {
      key: given.message.key,
      value,
      headers: deadLetterHeaders(given),
    });
  }

  private write(topic: string, message: Pick<KafkaMessage, 'headers' | 'key' | 'value'>): Promise<void> {
    const { key, value } = message;
    return new Promise((resolve, reject) => {
      this.facts.push({
        topic: this.prefixed(topic),
        message,
        bytes: MESSAGE_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0),
        ticket: new Countdown(1, resolve, reject),
      });
    });
  }

  /** Retries `work` with backoff until it succeeds; a closed bus, or the signal, ends it with an error. */
  async untilDone(
    what: string,
    work: () => Promise<void>,
    signal: AbortSignal = this.closed.signal,
  ): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await work();
        return;
      } catch (error) {
        if (signal.aborted || this.closed.signal.aborted) {
          throw new MessagingClosedError(`Closed before it could ${what}`, { cause: error });
        }
        const level = attempt % FAILURES_PER_WARNING === 0 ? 'warn' : 'debug';
        this.options.log[level]({ attempt, error: describeError(error) }, `could not ${what}, trying again`);
        await pause(backoffMs(attempt), signal);
      }
    }
  }
}

/** Combines the acknowledgements of one call's messages. */
class Countdown {
  constructor(
    private remaining: number,
    private readonly resolve: () => void,
    private readonly reject: (error: Error) => void,
  ) {}

  acknowledged(): void {
    if (--this.remaining === 0) this.resolve();
  }

  failed(error: Error): void {
    this.reject(error);
  }
}
