import { type Consumer, type EachBatchPayload, type KafkaMessage } from 'kafkajs';
import { atMost, pause } from '../delay.js';
import { bytesOf } from '../driver-speed/decode-batch.js';
import { type Waiting } from '../driver-speed/open-fetches.js';
import { describeError } from '../errors.js';
import {
  ASIDE_IN_HAND,
  COMMIT_INTERVAL_MS,
  DRAIN_TIMEOUT_MS,
  HEARTBEAT_CHECK_MS,
  LAST_ANSWER_MS,
} from '../limits.js';
import { type Messaging } from '../messaging.js';
import { ExpiredUnread, LogContinuity, startOf } from './log-continuity.js';
import { offsetSince } from './offset-since.js';
import { OffsetTracker } from './offset-tracker.js';
import { type Assignment, SupervisedConsumer } from './supervised-consumer.js';
import { type Work } from './work.js';
import { type WorkQueue } from './work-queue.js';

export interface GroupConsumerOptions<T> {
  /** Without prefix, as are the topics. */
  readonly group: string;
  readonly topics: readonly string[];
  readonly queue: WorkQueue<T, unknown>;
  /** See `ConsumerHooks`. */
  readonly gathered?: Waiting | undefined;
  /** See `SubscriptionOptions`. */
  readonly beforeJoining?: (() => Promise<void>) | undefined;
  /**
   * The item and its weight, or what happens to the message beside the queue; undefined for one that is passed over.
   * Never throws.
   */
  decode(topic: string, partition: number, message: KafkaMessage): Decoded<T> | Aside | undefined;
}

/** Handles a message that no handler gets: it is finished when this resolves, and delivered again if it rejects. */
type Aside = () => Promise<void>;

interface Decoded<T> {
  readonly item: T;
  readonly weight: number;
  readonly lane: string | undefined;
  readonly holder?: string | undefined;
}

interface Progress {
  readonly topic: string;
  readonly partition: number;
  tracker: OffsetTracker;
  continuity: LogContinuity;
  isOwned: boolean;
  /**
   * Nothing was fetched under this assignment yet: another member may have read, and committed, what lies between. So nothing is
   * committed either: it would take the group back.
   */
  isFresh: boolean;
}

/**
 * Reads topics as a member of a group, adds what it fetches to a work queue without waiting for it, and
 * commits finished work. See docs/decisions/consumer-progress.md.
 */
export class GroupConsumer<T> {
  private readonly consumer: SupervisedConsumer;
  private readonly expired: ExpiredUnread;
  private readonly progress = new Map<string, Progress>();
  private commitOffsets: EachBatchPayload['commitOffsetsIfNecessary'] | undefined;
  private commitTimer: NodeJS.Timeout | undefined;
  private committing: Promise<void> | undefined;
  private isClosing = false;
  private closing: Promise<void> | undefined;
  /** Fetching is paused by backpressure, not by Kafka. */
  private isWaiting = false;
  private asideCount = 0;
  private unwatch: (() => void) | undefined;
  private driver: Consumer | undefined;

  constructor(
    private readonly messaging: Messaging,
    private readonly options: GroupConsumerOptions<T>,
  ) {
    this.expired = new ExpiredUnread({ messaging, group: options.group, topics: options.topics });
    this.consumer = new SupervisedConsumer(messaging, options.group, {
      groupId: () => messaging.prefixed(options.group),
      topics: options.topics.map((topic) => messaging.prefixed(topic)),
      gathered: options.gathered,
      prepare: async () => {
        await this.expired.beforeJoining();
        await options.beforeJoining?.();
      },
      onBatch: (payload) => this.take(payload),
      onAssigned: (assignment, consumer) => {
        this.driver = consumer;
        this.assign(assignment);
      },
      onPassed: (topic, partition, lastOffset) => {
        const progress = this.progress.get(keyOf(topic, partition));
        if (this.isClosing || progress?.isOwned !== true) return;
        progress.tracker.pass(lastOffset);
        progress.isFresh = false;
        this.commitSoon();
      },
      // The next owner need not repeat what is already finished.
      onRebalancing: () => void this.commit(),
      // A commit on a discarded consumer would reopen its connection.
      onLost: () => {
        this.commitOffsets = undefined;
      },
    });
  }

  get group(): string {
    return this.options.group;
  }

  /** Resolves at the first assignment. */
  async start(): Promise<void> {
    this.unwatch = this.messaging.watch(() =>
      this.isWaiting ? this.consumer.isMember : this.consumer.isFollowing(),
    );
    // Before the first, so that its increase is seen.
    this.countPassed(0);
    await this.consumer.start();
  }

  /** Stops fetching, finishes and commits the work in progress, and leaves the group, in its time also where the broker hangs. */
  close(timeoutMs = DRAIN_TIMEOUT_MS): Promise<void> {
    return (this.closing ??= this.end(timeoutMs));
  }

  private async end(timeoutMs: number): Promise<void> {
    const drainedMs = performance.now() + timeoutMs;
    this.isClosing = true;
    this.consumer.pause();
    await atMost(this.drained(), timeoutMs);
    this.options.queue.abandon();
    clearTimeout(this.commitTimer);
    const endMs = Math.max(drainedMs, performance.now() + LAST_ANSWER_MS);
    await atMost(this.commitRest(), endMs - performance.now());
    await atMost(this.consumer.stop(), endMs - performance.now());
    this.unwatch?.();
  }

  private async commitRest(): Promise<void> {
    await this.committing;
    await this.commit();
  }

  private async drained(): Promise<void> {
    while (!this.options.queue.isEmpty) await this.options.queue.changed();
  }

  private async take(payload: EachBatchPayload): Promise<void> {
    const { batch, heartbeat, commitOffsetsIfNecessary, isStale } = payload;
    if (this.isClosing || isStale()) return;
    this.commitOffsets = commitOffsetsIfNecessary;
    const progress = this.progress.get(keyOf(batch.topic, batch.partition));
    // Fetched under a former assignment.
    if (progress?.isOwned !== true) return;
    const { tracker } = progress;
    if (progress.isFresh) tracker.resumeAt(startOf(batch));
    else if (tracker.lastTaken >= 0) await this.expired.inBatch(progress.topic, batch, tracker.lastTaken + 1);
    progress.isFresh = false;
    const messages = await this.ofTheSameLog(progress, batch);
    if (messages === undefined) return;
    this.options.queue.push(this.takeInHand(progress, messages));
    progress.tracker.pass(Number(batch.lastOffset()));
    this.commitSoon();
    await this.waitForRoom(heartbeat);
  }

  /**
   * A recreated topic, or a Kafka that was restored from an older copy, reuses offsets: its records must not
   * be mistaken for those in progress or finished. Records written since then are read again.
   * @returns undefined when another offset is to be fetched
   */
  private async ofTheSameLog(
    progress: Progress,
    { messages, highWatermark }: EachBatchPayload['batch'],
  ): Promise<readonly KafkaMessage[] | undefined> {
    const { topic, partition, tracker, continuity } = progress;
    const first = Number(messages[0]?.offset);
    const isBack = first < tracker.committedTo && !continuity.isComparing;
    // A join may leave the driver at a place to which it was sent to compare, or the group at an older commit that came late.
    const isLastAgain = isBack && continuity.isLast(messages[0]);
    if (isLastAgain) tracker.commitAgain(first);
    const isRewound = Number(highWatermark) <= tracker.lastTaken || (isBack && !isLastAgain);
    const verdict = isRewound ? undefined : continuity.judge(messages);
    if (verdict?.kind === 'take') return verdict.messages;
    if (verdict?.kind === 'look-back') {
      this.seek(progress, verdict.offset);
      return undefined;
    }
    this.messaging.options.log.warn({ topic, partition }, 'the log is not the one that was read from');
    progress.tracker = new OffsetTracker();
    progress.continuity = new LogContinuity(false);
    if (isRewound) return messages;
    const since = await offsetSince(this.messaging, topic, partition, continuity.lastTimestampMs ?? 0);
    this.seek(progress, Math.min(first, since ?? 0));
    return undefined;
  }

  private seek({ topic, partition }: Progress, offset: number): void {
    this.driver?.seek({ topic: this.messaging.prefixed(topic), partition, offset: String(offset) });
  }

  /**
   * After a join the driver fetches from the committed offsets again. Records that are in progress, or
   * finished and not yet committed, are skipped.
   */
  private takeInHand(
    { topic, partition, tracker }: Progress,
    messages: readonly KafkaMessage[],
  ): readonly Work<T>[] {
    const works: Work<T>[] = [];
    let passed = 0;
    for (const message of messages) {
      const offset = Number(message.offset);
      if (offset <= tracker.lastTaken) continue;
      const decoded = this.options.decode(topic, partition, message);
      // `take` passes over it together with the end of its batch.
      if (decoded === undefined) {
        passed++;
        continue;
      }
      if (typeof decoded === 'function') {
        this.handleAside(topic, offset, decoded, tracker);
        continue;
      }
      const bytes = bytesOf(message);
      works.push({ ...decoded, ticket: tracker.take(offset), topic, partition, message, bytes, tracker });
    }
    if (passed > 0) this.countPassed(passed);
    return works;
  }

  private countPassed(records: number): void {
    this.messaging.onMetric('messaging_passed_total', records, { group: this.options.group });
  }

  private handleAside(topic: string, offset: number, aside: Aside, tracker: OffsetTracker): void {
    const ticket = tracker.take(offset);
    this.asideCount++;
    aside()
      .then(() => {
        tracker.finish(ticket);
        this.asideCount--;
      })
      .catch((error: unknown) => {
        // Only at close: it stays uncommitted and is delivered again.
        this.messaging.options.log.warn(
          { topic, offset, error: describeError(error) },
          'message not finished',
        );
      });
  }

  private get hasRoom(): boolean {
    return this.options.queue.hasRoom && this.asideCount < ASIDE_IN_HAND;
  }

  /** Fetching waits while there is too much work; heartbeats continue, however long the handler takes. */
  private async waitForRoom(heartbeat: () => Promise<void>): Promise<void> {
    if (this.hasRoom) return;
    this.isWaiting = true;
    try {
      while (!this.hasRoom && !this.isClosing) {
        const timer = new AbortController();
        await Promise.race([this.options.queue.changed(), pause(HEARTBEAT_CHECK_MS, timer.signal)]);
        timer.abort();
        await heartbeat();
      }
    } finally {
      this.isWaiting = false;
    }
  }

  /**
   * What has begun is always finished, whoever owns its partition by now; what waits of a lost one is its new owner's. Only own
   * progress is committed.
   */
  private assign(assignment: Assignment): void {
    for (const progress of this.progress.values()) progress.isOwned = false;
    for (const [name, partitions] of Object.entries(assignment)) {
      for (const partition of partitions) {
        const key = keyOf(name, partition);
        const progress = this.progress.get(key);
        if (progress !== undefined) {
          progress.isOwned = true;
          progress.isFresh = true;
          progress.continuity.rejoin();
        } else {
          const topic = this.messaging.unprefixed(name);
          this.progress.set(key, newProgress(topic, partition));
        }
      }
    }
    const lost = [...this.progress.values()].filter(({ isOwned }) => !isOwned);
    this.options.queue.drop(new Set(lost.map(({ tracker }) => tracker)));
    for (const [key, { isOwned, tracker }] of this.progress) {
      if (!isOwned && !tracker.isBusy) this.progress.delete(key);
    }
    this.commitSoon();
  }

  /** Until everything is: an idle consumer has no timer. */
  private commitSoon(): void {
    this.commitTimer ??= setTimeout(() => {
      this.commitTimer = undefined;
      void this.commit().then(() => {
        if (!this.isClosing && this.hasUncommitted()) this.commitSoon();
      });
    }, COMMIT_INTERVAL_MS);
  }

  private hasUncommitted(): boolean {
    for (const progress of this.progress.values()) {
      if (progress.isOwned && (progress.tracker.isBusy || committable(progress) !== undefined)) return true;
    }
    return false;
  }

  private commit(): Promise<void> {
    this.committing ??= this.commitOnce().finally(() => {
      this.committing = undefined;
    });
    return this.committing;
  }

  private async commitOnce(): Promise<void> {
    const ends: { readonly progress: Progress; readonly tracker: OffsetTracker; readonly end: number }[] = [];
    for (const progress of this.progress.values()) {
      const end = committable(progress);
      if (end !== undefined) ends.push({ progress, tracker: progress.tracker, end });
    }
    if (ends.length === 0 || this.commitOffsets === undefined) return;
    try {
      // Not the consumer's own commit, which repeats a refused one under the group's next generation.
      await this.commitOffsets({
        topics: ends.map(({ progress: { topic, partition }, end }) => ({
          topic: this.messaging.prefixed(topic),
          partitions: [{ partition, offset: String(end) }],
        })),
      });
      for (const { tracker, end } of ends) tracker.committed(end);
    } catch (error) {
      // Refused during a rebalance, or the broker is unavailable: the next commit includes it.
      this.messaging.options.log.debug(
        { group: this.options.group, error: describeError(error) },
        'offsets not committed yet',
      );
    }
  }
}

function newProgress(topic: string, partition: number): Progress {
  const continuity = new LogContinuity(false);
  return { topic, partition, tracker: new OffsetTracker(), continuity, isOwned: true, isFresh: true };
}

function committable({ isOwned, isFresh, tracker }: Progress): number | undefined {
  return isOwned && !isFresh ? tracker.uncommitted() : undefined;
}

function keyOf(topic: string, partition: number): string {
  return `${partition} ${topic}`;
}
