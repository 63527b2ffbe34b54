import { type Reply } from '@truetally/kernel';
import { type Span } from '@truetally/tracing';

interface PendingAsk {
  readonly topic: string;
  readonly readReply: ReadReply;
  readonly bytes: number;
  readonly askedMs: number;
  readonly expiresMs: number;
  readonly span?: Span | undefined;
  readonly reply: Promise<Reply<unknown>>;
  readonly resolve: (reply: Reply<unknown>) => void;
}

/** From a reply's bytes to what its asker gets. */
export type ReadReply = (bytes: Buffer) => Reply<unknown>;

export interface NewAsk {
  readonly topic: string;
  readonly readReply: ReadReply;
  /** What it takes while it waits. */
  readonly bytes: number;
  readonly askedMs: number;
  readonly deadlineMs: number;
  /** Where its trace is kept: lasts until it is settled. */
  readonly span?: Span | undefined;
}

/** Asks that wait for their replies, by correlation id. Times are those of `performance.now()`. */
export class PendingAsks {
  private readonly asks = new Map<string, PendingAsk>();
  private totalBytes = 0;

  get count(): number {
    return this.asks.size;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  /** The reply to come of an ask that was made already under this correlation id. */
  find(correlationId: string): Promise<Reply<unknown>> | undefined {
    return this.asks.get(correlationId)?.reply;
  }

  add(correlationId: string, { deadlineMs, ...ask }: NewAsk): Promise<Reply<unknown>> {
    const { promise, resolve } = Promise.withResolvers<Reply<unknown>>();
    this.asks.set(correlationId, { ...ask, expiresMs: ask.askedMs + deadlineMs, reply: promise, resolve });
    this.totalBytes += ask.bytes;
    return promise;
  }

  /** How the asker reads its reply; undefined when nobody waits for it any more. */
  readerOf(correlationId: string): ReadReply | undefined {
    return this.asks.get(correlationId)?.readReply;
  }

  /** Gives the reply to its asker; undefined when nobody waits for it any more. */
  settle(correlationId: string, reply: Reply<unknown>): PendingAsk | undefined {
    const ask = this.asks.get(correlationId);
    if (ask === undefined) return undefined;
    this.asks.delete(correlationId);
    this.totalBytes -= ask.bytes;
    ask.resolve(reply);
    return ask;
  }

  /** Correlation ids of those that have waited long enough. */
  expired(nowMs: number): readonly string[] {
    const ids: string[] = [];
    for (const [correlationId, { expiresMs }] of this.asks) if (expiresMs <= nowMs) ids.push(correlationId);
    return ids;
  }

  all(): readonly string[] {
    return [...this.asks.keys()];
  }
}
