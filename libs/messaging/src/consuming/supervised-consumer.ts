import { type Consumer, type EachBatchPayload } from 'kafkajs';
import { atMost, backoffMs, pause } from '../delay.js';
import { OpenFetches, type Waiting } from '../driver-speed/open-fetches.js';
import { inStep } from '../driver-speed/pulse.js';
import { createDriver } from '../driver.js';
import { describeError } from '../errors.js';
import {
  CONSUMER_SILENCE_MS,
  DRAIN_TIMEOUT_MS,
  LAST_ANSWER_MS,
  DRIVER_JOIN_RETRIES,
  FAILURES_PER_WARNING,
  FETCH_BYTES,
  FETCH_MIN_BYTES,
  FETCH_PARTITION_BYTES,
  FETCH_STALE_MS,
  FETCH_WAIT_MS,
  HEARTBEAT_INTERVAL_MS,
  LONE_FETCH_WAIT_MS,
  LONE_HEARTBEAT_INTERVAL_MS,
  LONE_SESSION_TIMEOUT_MS,
  ONLY_HEARTBEAT_INTERVAL_MS,
  REBALANCE_TIMEOUT_MS,
  RETRY_INITIAL_MS,
  RETRY_MAX_MS,
  SESSION_TIMEOUT_MS,
} from '../limits.js';
import { type Messaging } from '../messaging.js';
import { Goodbye } from './goodbye.js';

export type Assignment = Readonly<Record<string, readonly number[]>>;

export interface ConsumerHooks {
  /**
   * With the prefix, by the number of earlier consumers: a reader without offsets uses a new one each time.
   */
  groupId(incarnation: number): string;
  /** The only member of its group: nobody waits for its heartbeats. */
  readonly isAlone?: boolean;
  /** Topics with their prefix. */
  readonly topics: readonly string[];
  /** Fetched per partition and request; at least one batch. Default: `FETCH_PARTITION_BYTES`. */
  readonly partitionBytes?: number;
  /** What a fetch waits for while each finds messages. Default: nothing. */
  readonly gathered?: Waiting | undefined;
  onBatch(payload: EachBatchPayload): Promise<void>;
  /** After each join, before the first fetch of that assignment: the time to seek. */
  onAssigned?(assignment: Assignment, consumer: Consumer): void;
  /** The driver skipped records without messages (control records), up to and including that offset. */
  onPassed?(topic: string, partition: number, lastOffset: number): void;
  /** A broker answered a fetch. */
  onFetched?(): void;
  /** A broker answered a fetch with nothing of that partition. */
  onNothing?(topic: string, partition: number): void;
  onRebalancing?(): void;
  /** The consumer is discarded; its former messages must not be used any more. */
  onLost?(): void;
  /**
   * Runs before each new consumer to prepare its dependencies; the signal aborts it when it is no longer
   * needed.
   */
  prepare?(signal: AbortSignal): Promise<void>;
}

/**
 * Keeps a consumer running: the driver's own gives up on some errors and restarts on others with stale state,
 * so that it is replaced by a new one, with backoff, whenever it crashes or falls silent.
 */
export class SupervisedConsumer {
  private readonly stopping = new AbortController();
  private readonly stopped = new Promise<void>((resolve) => {
    this.stopping.signal.addEventListener('abort', () => {
      resolve();
    });
  });
  private readonly goodbye = new Goodbye();
  private fetches: OpenFetches | undefined;
  private consumer: Consumer | undefined;
  private running: Promise<void> | undefined;
  private isJoined = false;
  private lastSignMs = 0;
  private lastFetchedMs = Number.NEGATIVE_INFINITY;
  private lastHeartbeatMs = Number.NEGATIVE_INFINITY;
  private hasPartitions = false;

  constructor(
    private readonly messaging: Messaging,
    private readonly name: string,
    private readonly hooks: ConsumerHooks,
  ) {}

  /** Resolves at the first assignment, or when stopped. Retries while Kafka is unavailable. */
  async start(): Promise<void> {
    const joined = new Promise<void>((resolve) => {
      this.running = this.run(resolve);
    });
    await Promise.race([joined, this.stopped]);
  }

  get isMember(): boolean {
    return this.isJoined;
  }

  /**
   * Member of its group, and a broker has recently answered a fetch. A member without a partition (there are
   * more members than partitions) fetches nothing and is healthy: its coordinator answers its heartbeats.
   */
  isFollowing(): boolean {
    if (!this.isJoined) return false;
    const nowMs = performance.now();
    if (this.hooks.isAlone !== true) {
      if (nowMs - this.lastHeartbeatMs > SESSION_TIMEOUT_MS) return false;
      if (!this.hasPartitions) return true;
    }
    return nowMs - this.lastFetchedMs < this.staleMs;
  }

  /** The age at which its last fetch says that no broker answers. */
  get staleMs(): number {
    return this.isPatient ? FETCH_WAIT_MS + FETCH_STALE_MS : FETCH_STALE_MS;
  }

  /** Nobody asks how old its last fetch is before he answers. */
  private get isPatient(): boolean {
    return this.hooks.isAlone !== true || this.messaging.options.isPatient === true;
  }

  /** Stops fetching while staying in the group. */
  pause(): void {
    if (!this.isJoined) return;
    this.consumer?.pause(this.hooks.topics.map((topic) => ({ topic })));
  }

  /**
   * Leaves the group at once, so that others take over without waiting for the session timeout. A broker that hangs is waited for
   * in the time of a drain, and where nobody takes over hardly at all.
   */
  async stop(): Promise<void> {
    const isWaitedFor = this.hooks.isAlone !== true || this.isFollowing();
    this.stopping.abort();
    await atMost(this.running ?? Promise.resolve(), isWaitedFor ? DRAIN_TIMEOUT_MS : LAST_ANSWER_MS);
  }

  private async run(joined: () => void): Promise<void> {
    let failures = 0;
    for (let incarnation = 0; !this.stopping.signal.aborted; incarnation++) {
      const consumer = this.createConsumer(incarnation);
      const failed = this.watch(consumer, () => {
        failures = 0;
        joined();
      });
      const ending = new AbortController();
      const opened = this.open(consumer, ending.signal);
      try {
        await Promise.race([failed, this.stopped, opened.then(() => failed)]);
      } catch (error) {
        this.report(error, failures);
      }
      ending.abort();
      this.isJoined = false;
      this.hooks.onLost?.();
      // A consumer that is disconnected during a join would complete it, and hold partitions that nobody
      // reads.
      await atMost(
        opened.catch(() => undefined),
        DRAIN_TIMEOUT_MS,
      );
      await this.disconnect(consumer);
      await pause(backoffMs(failures++), this.stopping.signal);
    }
  }

  private createConsumer(incarnation: number): Consumer {
    const readsMuch = this.hooks.gathered !== undefined;
    const consumer = createDriver({ ...this.messaging.driver, readsMuch }).consumer({
      groupId: this.hooks.groupId(incarnation),
      partitionAssigners: [this.goodbye.assigner],
      ...this.habits,
      rebalanceTimeout: REBALANCE_TIMEOUT_MS,
      maxBytesPerPartition: this.hooks.partitionBytes ?? FETCH_PARTITION_BYTES,
      maxBytes: FETCH_BYTES,
      allowAutoTopicCreation: false,
      retry: {
        initialRetryTime: RETRY_INITIAL_MS,
        maxRetryTime: RETRY_MAX_MS,
        retries: DRIVER_JOIN_RETRIES,
        restartOnFailure: () => Promise.resolve(false),
      },
    });
    this.consumer = consumer;
    this.fetches = this.openFetches(consumer);
    return consumer;
  }

  private openFetches(consumer: Consumer): OpenFetches | undefined {
    const { cluster } = this.goodbye;
    if (cluster === undefined) return undefined;
    const { maxWaitTimeInMs: waitMs, heartbeatInterval } = this.habits;
    const heartbeatMs = (): number =>
      this.goodbye.isOnlyMember ? Math.max(heartbeatInterval, ONLY_HEARTBEAT_INTERVAL_MS) : heartbeatInterval;
    const whenIdle = { minBytes: FETCH_MIN_BYTES, waitMs };
    const whenQuiet = this.isPatient ? { ...whenIdle, waitMs: FETCH_WAIT_MS } : whenIdle;
    const whenBusy = this.hooks.gathered ?? whenIdle;
    const onNothing = (topic: string, partition: number): void => {
      // A hanging one that was replaced reads from elsewhere.
      if (consumer === this.consumer) this.hooks.onNothing?.(topic, partition);
    };
    return new OpenFetches(cluster, { whenIdle, whenBusy, whenQuiet, heartbeatMs, onNothing });
  }

  private get habits(): typeof ALONE | typeof AMONG_OTHERS {
    return this.hooks.isAlone === true ? ALONE : AMONG_OTHERS;
  }

  /** @param signal aborted once the consumer is discarded: the driver would connect it again, for nobody and for ever */
  private async open(consumer: Consumer, signal: AbortSignal): Promise<void> {
    const steps = [
      () => this.hooks.prepare?.(signal),
      () => consumer.connect(),
      () => this.goodbye.say(),
      () => consumer.subscribe({ topics: [...this.hooks.topics], fromBeginning: true }),
      () => this.read(consumer),
    ];
    for (const step of steps) {
      await step();
      signal.throwIfAborted();
      // What is slow is not silent.
      this.lastSignMs = performance.now();
    }
  }

  private read(consumer: Consumer): Promise<void> {
    return consumer.run({
      autoCommit: false,
      eachBatch: async (payload) => {
        // One that is being replaced knows of no later seek.
        if (consumer !== this.consumer || !this.isJoined) return;
        this.sign();
        await this.hooks.onBatch(payload);
      },
    });
  }

  /** Rejects when the consumer must be replaced; never resolves. */
  private watch(consumer: Consumer, joined: () => void): Promise<never> {
    const { events } = consumer;
    const { promise, reject } = Promise.withResolvers<never>();
    const checkSilence = (): void => {
      if (performance.now() - this.lastSignMs > CONSUMER_SILENCE_MS) reject(new Error('silent for too long'));
    };
    // Behind a stop of the process it comes first: the group may have lost its place meanwhile, which is looked at before a join.
    this.sign = () => {
      checkSilence();
      this.lastSignMs = performance.now();
    };
    const signs = (listener: () => void) => (): void => {
      if (consumer !== this.consumer) return;
      this.sign();
      listener();
    };
    this.lastSignMs = performance.now();
    consumer.on(events.GROUP_JOIN, ({ payload }) => {
      signs(() => {
        this.isJoined = true;
        this.goodbye.remember(payload);
        this.hasPartitions = Object.values(payload.memberAssignment).some(({ length }) => length > 0);
        this.lastFetchedMs = performance.now();
        this.lastHeartbeatMs = performance.now();
        this.messaging.onMetric('messaging_rebalances_total', 1, { group: this.name });
        this.hooks.onAssigned?.(payload.memberAssignment, consumer);
        joined();
      })();
    });
    // One that has crashed says so when it is disconnected, and has no group by then.
    consumer.on(
      events.STOP,
      signs(() => {
        this.isJoined = false;
      }),
    );
    consumer.on(
      events.REBALANCING,
      signs(() => this.hooks.onRebalancing?.()),
    );
    consumer.on(
      events.HEARTBEAT,
      signs(() => {
        this.lastHeartbeatMs = performance.now();
      }),
    );
    consumer.on(events.REQUEST, ({ payload }) => {
      if (payload.apiName === 'Fetch') signs(this.fetched)();
    });
    consumer.on(events.END_BATCH_PROCESS, ({ payload: { topic, partition, batchSize, lastOffset } }) => {
      signs(() => {
        if (batchSize === 0) this.hooks.onPassed?.(topic, partition, Number(lastOffset));
      })();
    });
    consumer.on(events.CRASH, ({ payload }) => {
      reject(payload.error);
    });
    this.endWatch = inStep(CONSUMER_SILENCE_MS / 10, checkSilence);
    return promise;
  }

  private endWatch: (() => void) | undefined;
  private sign: () => void = () => undefined;

  private readonly fetched = (): void => {
    this.lastFetchedMs = performance.now();
    this.hooks.onFetched?.();
  };

  private async disconnect(consumer: Consumer): Promise<void> {
    this.endWatch?.();
    try {
      // A hanging driver must not delay its successor; its later events are ignored.
      await atMost(this.leave(consumer), DRAIN_TIMEOUT_MS);
    } catch (error) {
      this.messaging.options.log.debug(
        { consumer: this.name, error: describeError(error) },
        'disconnect failed',
      );
    }
  }

  private async leave(consumer: Consumer): Promise<void> {
    const stopped = consumer.stop();
    this.fetches?.end();
    await stopped;
    // One that was about to be sent.
    this.fetches?.end();
    await consumer.disconnect();
  }

  private report(error: unknown, failures: number): void {
    if (this.stopping.signal.aborted) return;
    const { onMetric, options } = this.messaging;
    onMetric('messaging_consumer_restarts_total', 1, { group: this.name });
    const level = failures % FAILURES_PER_WARNING === 0 ? 'warn' : 'debug';
    options.log[level](
      // Kafka does not say for which topic a right is missing.
      { consumer: this.name, topics: this.hooks.topics, failures, error: describeError(error) },
      'consumer is replaced after a failure',
    );
  }
}

const AMONG_OTHERS = {
  sessionTimeout: SESSION_TIMEOUT_MS,
  heartbeatInterval: HEARTBEAT_INTERVAL_MS,
  maxWaitTimeInMs: FETCH_WAIT_MS,
} as const;
const ALONE = {
  sessionTimeout: LONE_SESSION_TIMEOUT_MS,
  heartbeatInterval: LONE_HEARTBEAT_INTERVAL_MS,
  maxWaitTimeInMs: LONE_FETCH_WAIT_MS,
} as const;
