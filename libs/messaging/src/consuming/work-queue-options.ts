import { type MessagingLog } from '../log.js';
import { type MessagingMetrics } from '../metrics.js';
import { type Work } from './work.js';

/** How a work queue calls its handler, and what becomes of the messages. */
export interface WorkQueueOptions<T, O> {
  /** The consumer's name in metrics and logs. */
  readonly group: string;
  /** Maximum weight of one handler call. */
  readonly rows: number;
  /** Maximum number of concurrent handler calls. While one runs, another starts only when it is full or late. */
  readonly transactions: number;
  /**
   * Messages of a partition are handled in the order of the log; needs a single transaction. Default: a message
   * whose environment is at fault delays no other.
   */
  readonly isOrdered?: boolean;
  /** Weight of fetched, unfinished messages at which fetching pauses. */
  readonly unstored: number;
  readonly log: MessagingLog;
  readonly onMetric: MessagingMetrics;
  /** One outcome per item, in their order. */
  handle(items: readonly T[]): Promise<readonly O[]>;
  /**
   * Whether a message that is beyond its holder's share of `unstored`, or of the bytes, is refused: it is finished then. Default: none
   * is, and fetching waits for what holds it up.
   */
  refuse?(item: T): boolean;
  /** Whether its asker has timed out; checked before each try. */
  isExpired(item: T): boolean;
  /**
   * Replies to the askers at once; resolves when the offsets may be committed, rejects when they must not be.
   */
  settle(works: readonly Work<T>[], outcomes: readonly O[]): Promise<void> | undefined;
  /** Resolves when the dead-letter topic has it. */
  giveUp(work: Work<T>, attempts: number, reason: unknown): Promise<void>;
}
