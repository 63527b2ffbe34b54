import { type Reply } from '@truetally/kernel';
import { type Span } from '@truetally/tracing';

interface PendingAsk {
  readonly to: string;
  readonly bytes: number;
  readonly askedMs: number;
  readonly expiresMs: number;
  readonly span?: Span | undefined;
  readonly reply: Promise<Reply<unknown>>;
  readonly resolve: (reply: Reply<unknown>) => void;
}

export interface NewAsk {
  readonly to: string;
  /** Its memory while it is pending. */
  readonly bytes: number;
  readonly askedMs: number;
  readonly deadlineMs: number;
  /** Where it is traced: until it is settled. */
  readonly span?: Span | undefined;
}

/** So many settled asks leave a map to the collector, with what they led to (`request-queue.ts`). */
const ASKS_OF_A_MAP = 1_000;

/** Asks that wait for their replies, by correlation id. Times are from `performance.now()`. */
export class PendingAsks {
  private asks = new Map<string, PendingAsk>();
  private settledCount = 0;
  private totalBytes = 0;

  get count(): number {
    return this.asks.size;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  /** The pending reply of an earlier ask with this correlation id. */
  find(correlationId: string): Promise<Reply<unknown>> | undefined {
    return this.asks.get(correlationId)?.reply;
  }

  add(correlationId: string, { deadlineMs, ...ask }: NewAsk): Promise<Reply<unknown>> {
    const { promise, resolve } = Promise.withResolvers<Reply<unknown>>();
    this.asks.set(correlationId, { ...ask, expiresMs: ask.askedMs + deadlineMs, reply: promise, resolve });
    this.totalBytes += ask.bytes;
    return promise;
  }

  has(correlationId: string): boolean {
    return this.asks.has(correlationId);
  }

  /** Passes the reply to its asker; undefined when the ask is no longer pending. */
  settle(correlationId: string, reply: Reply<unknown>): PendingAsk | undefined {
    const ask = this.asks.get(correlationId);
    if (ask === undefined) return undefined;
    this.asks.delete(correlationId);
    if (++this.settledCount % ASKS_OF_A_MAP === 0) this.asks = new Map(this.asks);
    this.totalBytes -= ask.bytes;
    ask.resolve(reply);
    return ask;
  }

  /** Correlation ids of the asks whose timeout has passed. */
  expired(nowMs: number): readonly string[] {
    const ids: string[] = [];
    for (const [correlationId, { expiresMs }] of this.asks) if (expiresMs <= nowMs) ids.push(correlationId);
    return ids;
  }

  all(): readonly string[] {
    return [...this.asks.keys()];
  }
}
