/** Bounds of what is read of a feed. */
export interface FeedLimits {
  /** Of the body as it is sent, and of what it inflates to, each. */
  readonly maxBytes: number;
  /** Until the headers of the answer. */
  readonly headersMs: number;
  /** Without a byte. */
  readonly idleMs: number;
  /** Waiting for the server in all; the time in which rows are stored does not count. */
  readonly waitedMs: number;
  /** From when on a feed must arrive at `bytesPerSecond` on average. */
  readonly patienceMs: number;
  readonly bytesPerSecond: number;
  /** Attempts while the server fails for now, and the delay after the first, which doubles. */
  readonly attempts: number;
  readonly retryMs: number;
}

export const FEED_LIMITS: FeedLimits = {
  maxBytes: 1_073_741_824,
  headersMs: 30_000,
  idleMs: 20_000,
  waitedMs: 1_800_000,
  patienceMs: 20_000,
  bytesPerSecond: 4_096,
  attempts: 3,
  retryMs: 1_000,
};
