import { backoffMs, pause } from '../delay.js';
import { describeError, isFaultOfMessage, UnreadableError } from '../errors.js';
import {
  CALL_BYTES,
  CLOCK_SKEW_LOG_MS,
  PATIENCE_MS,
  POISON_RETRY_MS,
  POISON_TRIES,
  RETRY_MAX_MS,
  TRANSIENT_TRIES_TOGETHER,
  UNSTORED_BYTES,
} from '../limits.js';
import { type OffsetTracker } from './offset-tracker.js';
import { type CallBounds, InHand, WaitingRoom } from './waiting-room.js';
import { type Work } from './work.js';
import { halvesOf, type Part } from './work-parts.js';
import { type WorkQueueOptions } from './work-queue-options.js';

/**
 * Group commit: all waiting messages, from any partition, go into the next handler call together, with a few
 * concurrent calls. Failures are classified here (`isFaultOfMessage`): transient ones are retried, and poison
 * messages are found by splitting the batch.
 */
export class WorkQueue<T, O> {
  private readonly room: WaitingRoom<T>;
  private readonly abandoned = new AbortController();
  private calls = 0;
  private lastCallMs = 0;
  private patience: NodeJS.Timeout | undefined;
  private isScheduled = false;
  private expiredCount = 0;
  private expiredToldMs = Number.NEGATIVE_INFINITY;
  private waiters: (() => void)[] = [];

  private readonly most: CallBounds;
  private readonly inHand: InHand;

  constructor(private readonly options: WorkQueueOptions<T, O>) {
    this.most = { weight: options.rows, bytes: CALL_BYTES };
    this.room = new WaitingRoom<T>(options.transactions);
    this.inHand = new InHand({ weight: options.unstored, bytes: UNSTORED_BYTES });
  }

  get hasRoom(): boolean {
    return this.inHand.hasRoom;
  }

  get isEmpty(): boolean {
    return this.inHand.isEmpty;
  }

  /**
   * Adds messages. All partitions of one fetch arrive in one turn of the event loop, and are handled
   * together.
   */
  push(works: readonly Work<T>[]): void {
    const taken = works.filter((work) => this.take(work));
    if (taken.length === 0) return;
    this.room.enter(taken);
    this.report();
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.startCalls();
    });
  }

  private take(work: Work<T>): boolean {
    const isRefused = this.inHand.isBeyondShare(work) && this.options.refuse?.(work.item) === true;
    if (isRefused) work.tracker.finish(work.ticket);
    else this.inHand.take(work);
    return !isRefused;
  }

  /** Leaves what has not begun of these to whoever reads their partitions by now. */
  drop(trackers: ReadonlySet<OffsetTracker>): void {
    const works = this.room.dismiss(trackers);
    for (const { tracker, ticket } of works) tracker.drop(ticket.offset);
    this.leave(works);
  }

  /** Resolves when something was finished or abandoned. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  /** No further tries: unfinished messages are delivered again to the next consumer. */
  abandon(): void {
    this.abandoned.abort();
    this.wake();
  }

  private startCalls(): void {
    while (this.calls < this.options.transactions && !this.abandoned.signal.aborted) {
      if (this.calls > 0 && !this.needsAnother()) return;
      const works = this.room.next(this.most);
      if (works.length === 0) return;
      this.calls++;
      this.lastCallMs = performance.now();
      void this.call(works);
    }
  }

  /**
   * Two small transactions cost more than one that waits for the other's end; but a full one gains nothing by
   * waiting, and one that hangs must not hold up the rest.
   */
  private needsAnother(): boolean {
    if (this.room.isEmpty) return false;
    const restMs = this.lastCallMs + PATIENCE_MS - performance.now();
    if (this.room.fills(this.most) || restMs <= 0) return true;
    this.patience ??= setTimeout(() => {
      this.patience = undefined;
      this.startCalls();
    }, restMs).unref();
    return false;
  }

  private async call(works: readonly Work<T>[]): Promise<void> {
    await this.handleAll(works);
    for (const work of works) this.room.leave(work);
    this.calls--;
    this.startCalls();
  }

  /** Tries all together; on failure halves until the poison message is alone. Never rejects. */
  private async handleAll(works: readonly Work<T>[]): Promise<void> {
    const parts: Part<T>[] = [{ works, transient: 0, poisonous: 0 }];
    let failedInARow = 0;
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      if (this.abandoned.signal.aborted) return;
      const failure = await this.tryOnce(part.works);
      if (failure === undefined) failedInARow = 0;
      else if (isFaultOfMessage(failure.error)) parts.unshift(...(await this.isolate(part, failure)));
      else {
        const again = this.tryLater(part, failure);
        if (this.options.isOrdered === true) parts.unshift(...again);
        else parts.push(...again);
        await pause(backoffMs(failedInARow++, POISON_RETRY_MS, RETRY_MAX_MS), this.abandoned.signal);
      }
    }
  }

  /**
   * The environment is at fault: all of it is retried for as long as it takes. After some tries it is split
   * into halves, in sequence, so that messages that succeed do not wait for those that do not; in an ordered
   * queue only those before them can.
   */
  private tryLater({ works, transient, ...part }: Part<T>, failure: Failure): readonly Part<T>[] {
    this.retried('transient', works, failure);
    const failures = transient + 1;
    if (works.length === 1 || failures < TRANSIENT_TRIES_TOGETHER) {
      return [{ ...part, works, transient: failures }];
    }
    return halvesOf(works);
  }

  /** A message is at fault. It is found by halving, and retried alone before it is dead-lettered. */
  private async isolate(
    { works, poisonous, ...part }: Part<T>,
    failure: Failure,
  ): Promise<readonly Part<T>[]> {
    const [first] = works;
    if (first === undefined || works.length > 1) {
      this.retried('split', works, failure);
      return halvesOf(works);
    }
    const attempts = poisonous + 1;
    if (attempts >= POISON_TRIES || failure.error instanceof UnreadableError) {
      await this.giveUp(first, attempts, failure);
      return [];
    }
    this.retried('alone', works, failure);
    await pause(backoffMs(attempts, POISON_RETRY_MS), this.abandoned.signal);
    return [{ ...part, works, poisonous: attempts }];
  }

  private async tryOnce(works: readonly Work<T>[]): Promise<Failure | undefined> {
    const wanted = this.dropExpired(works);
    if (wanted.length === 0) return undefined;
    const { group, onMetric } = this.options;
    const startedMs = performance.now();
    try {
      const outcomes = await this.options.handle(wanted.map(({ item }) => item));
      if (outcomes.length !== wanted.length) {
        throw new TypeError(`The handler gave ${outcomes.length} outcomes for ${wanted.length} requests`);
      }
      onMetric('messaging_call_weight', weightOf(wanted), { group });
      onMetric('messaging_call_duration_seconds', (performance.now() - startedMs) / MS_PER_SECOND, { group });
      this.settle(wanted, outcomes);
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  private settle(works: readonly Work<T>[], outcomes: readonly O[]): void {
    const pending = this.options.settle(works, outcomes);
    if (pending === undefined) {
      this.finish(works);
      return;
    }
    pending
      .then(() => {
        this.finish(works);
      })
      .catch((error: unknown) => {
        // Only at close: the messages stay uncommitted and are delivered again.
        this.options.log.warn(
          { group: this.options.group, error: describeError(error) },
          'facts not published',
        );
      });
  }

  private dropExpired(works: readonly Work<T>[]): readonly Work<T>[] {
    const expired = works.filter(({ item, ticket }) => !ticket.isDone && this.options.isExpired(item));
    if (expired.length > 0) {
      this.options.onMetric('messaging_expired_total', expired.length, { group: this.options.group });
      this.tellExpired(expired.length);
      this.finish(expired);
    }
    // Also without those that an earlier try dropped.
    return works.filter(({ ticket }) => !ticket.isDone);
  }

  /**
   * Without a backlog, expired messages mean clock skew: this must be logged, or its cause would be hard to
   * find.
   */
  private tellExpired(count: number): void {
    this.expiredCount += count;
    const nowMs = performance.now();
    if (nowMs - this.expiredToldMs < CLOCK_SKEW_LOG_MS) return;
    const { group, log } = this.options;
    log.warn({ group, requests: this.expiredCount }, 'queries skipped, their deadlines have passed');
    this.expiredToldMs = nowMs;
    this.expiredCount = 0;
  }

  private async giveUp(work: Work<T>, attempts: number, { error: reason }: Failure): Promise<void> {
    try {
      await this.options.giveUp(work, attempts, reason);
      this.finish([work]);
    } catch (error) {
      // Only at close: it stays uncommitted and is delivered again.
      this.options.log.warn(
        { group: this.options.group, error: describeError(error) },
        'dead letter not written',
      );
    }
  }

  private finish(works: readonly Work<T>[]): void {
    for (const { tracker, ticket } of works) tracker.finish(ticket);
    this.leave(works);
  }

  private leave(works: readonly Work<T>[]): void {
    for (const work of works) this.inHand.leave(work);
    this.report();
    this.wake();
  }

  private wake(): void {
    for (const resolve of this.waiters.splice(0)) resolve();
  }

  private retried(
    reason: 'transient' | 'split' | 'alone',
    works: readonly Work<T>[],
    failure: Failure,
  ): void {
    const { group, log, onMetric } = this.options;
    onMetric('messaging_call_retries_total', 1, { group, reason });
    log.warn(
      { group, reason, requests: works.length, error: describeError(failure.error) },
      'handler is called again',
    );
  }

  private report(): void {
    this.options.onMetric('messaging_unstored', this.inHand.weight, { group: this.options.group });
  }
}

/** Wrapped, because a handler may throw undefined. */
interface Failure {
  readonly error: unknown;
}

const MS_PER_SECOND = 1_000;

function weightOf(works: readonly Work<unknown>[]): number {
  return works.reduce((sum, { weight }) => sum + weight, 0);
}
