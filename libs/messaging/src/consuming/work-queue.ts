import { backoffMs, pause } from '../delay.js';
import { describeError, TransientError, UnreadableError } from '../errors.js';
import { POISON_RETRY_MS, POISON_TRIES, RETRY_MAX_MS, UNSTORED_BYTES } from '../limits.js';
import { type MessagingLog } from '../log.js';
import { type MessagingMetrics } from '../metrics.js';
import { WaitingRoom } from './waiting-room.js';
import { type Work } from './work.js';

export interface WorkQueueOptions<T, O> {
  /** Names the consumer in metrics and logs. */
  readonly group: string;
  /** Weight given to the handler in one call. */
  readonly rows: number;
  /** Handler calls under way at once. */
  readonly transactions: number;
  /** Weight fetched and unfinished, beyond which fetching waits. */
  readonly unstored: number;
  readonly log: MessagingLog;
  readonly onMetric: MessagingMetrics;
  /** One outcome per item, in their order. */
  handle(items: readonly T[]): Promise<readonly O[]>;
  /** Whether nobody is interested any more; asked before each try. */
  isExpired(item: T): boolean;
  /** Answers the askers at once; resolves when the offsets may count as done, rejects when they must not. */
  settle(works: readonly Work<T>[], outcomes: readonly O[]): Promise<void> | undefined;
  /** Resolves when the dead letters have it. */
  giveUp(work: Work<T>, attempts: number, reason: unknown): Promise<void>;
}

/**
 * Group commit: everything that waits, from whichever partition, goes to the next handler call together, with a
 * few calls under way. Failures are told apart here: what is transient is retried as it is, what is poison is
 * found by splitting the batch.
 */
export class WorkQueue<T, O> {
  private readonly room = new WaitingRoom<T>();
  private readonly abandoned = new AbortController();
  private calls = 0;
  private unfinishedCount = 0;
  private unfinishedWeight = 0;
  private unfinishedBytes = 0;
  private isScheduled = false;
  private waiters: (() => void)[] = [];

  constructor(private readonly options: WorkQueueOptions<T, O>) {}

  get hasRoom(): boolean {
    return this.unfinishedWeight < this.options.unstored && this.unfinishedBytes < UNSTORED_BYTES;
  }

  get isEmpty(): boolean {
    return this.unfinishedCount === 0;
  }

  /** Takes messages in hand. All partitions of one fetch arrive in one turn of the event loop, and go together. */
  push(works: readonly Work<T>[]): void {
    if (works.length === 0) return;
    for (const { weight, bytes } of works) {
      this.unfinishedWeight += weight;
      this.unfinishedBytes += bytes;
    }
    this.unfinishedCount += works.length;
    this.room.enter(works);
    this.report();
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.startCalls();
    });
  }

  /** Resolves when something was finished, or abandoned. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  /** No further tries: what is not finished is delivered again to whoever reads next. */
  abandon(): void {
    this.abandoned.abort();
    this.wake();
  }

  private startCalls(): void {
    while (this.calls < this.options.transactions && !this.abandoned.signal.aborted) {
      const works = this.room.next(this.options.rows);
      if (works.length === 0) return;
      this.calls++;
      void this.call(works);
    }
  }

  private async call(works: readonly Work<T>[]): Promise<void> {
    await this.handleAll(works);
    for (const { lane } of works) this.room.leaveLane(lane);
    this.calls--;
    this.startCalls();
  }

  /** Tries all together; halves what fails until the poison message is alone. Never rejects. */
  private async handleAll(works: readonly Work<T>[]): Promise<void> {
    const parts = [works];
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      const reason = await this.tryOften(part);
      if (reason === undefined) continue;
      const [first] = part;
      if (first !== undefined && part.length === 1) {
        await this.handlePoison(first, reason);
        continue;
      }
      this.retried('split', part, reason);
      const middle = part.length >> 1;
      parts.push(part.slice(middle), part.slice(0, middle));
    }
  }

  /** @returns the error that is not transient, if there was one */
  private async tryOften(works: readonly Work<T>[]): Promise<Failure | undefined> {
    for (let attempt = 0; !this.abandoned.signal.aborted; attempt++) {
      const failure = await this.tryOnce(works);
      if (failure === undefined || !(failure.error instanceof TransientError)) return failure;
      this.retried('transient', works, failure);
      await pause(backoffMs(attempt, POISON_RETRY_MS, RETRY_MAX_MS), this.abandoned.signal);
    }
    return undefined;
  }

  private async tryOnce(works: readonly Work<T>[]): Promise<Failure | undefined> {
    const wanted = this.dropExpired(works);
    if (wanted.length === 0) return undefined;
    const { group, onMetric } = this.options;
    const startedMs = performance.now();
    try {
      const outcomes = await this.options.handle(wanted.map(({ item }) => item));
      if (outcomes.length !== wanted.length) {
        throw new Error(`The handler gave ${outcomes.length} outcomes for ${wanted.length} requests`);
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
    const expired = works.filter(({ item, isDone }) => !isDone && this.options.isExpired(item));
    if (expired.length > 0) {
      this.options.onMetric('messaging_expired_total', expired.length, { group: this.options.group });
      this.finish(expired);
    }
    // Also without those that an earlier try has dropped.
    return works.filter(({ isDone }) => !isDone);
  }

  /** The message has failed alone once; it gets its other tries, and then goes to the dead letters. */
  private async handlePoison(work: Work<T>, first: Failure): Promise<void> {
    let failure = first;
    let attempts = 1;
    for (; attempts < POISON_TRIES && !(failure.error instanceof UnreadableError); attempts++) {
      this.retried('alone', [work], failure);
      await pause(backoffMs(attempts, POISON_RETRY_MS), this.abandoned.signal);
      if (this.abandoned.signal.aborted) return;
      const again = await this.tryOften([work]);
      if (again === undefined) return;
      failure = again;
    }
    try {
      await this.options.giveUp(work, attempts, failure.error);
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
    for (const work of works) {
      work.tracker.finish(work);
      this.unfinishedWeight -= work.weight;
      this.unfinishedBytes -= work.bytes;
    }
    this.unfinishedCount -= works.length;
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
    this.options.onMetric('messaging_unstored', this.unfinishedWeight, { group: this.options.group });
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
