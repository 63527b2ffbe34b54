import type { StreamPosition } from './stream-position.js';

/** A fact of `events.stored.v1` as it was read. */
export interface ReadFact {
  readonly partition: number;
  readonly offset: number;
  readonly siteId: string;
  /** Of the transaction that stored it: ISO 8601 UTC with milliseconds, which sorts as text. */
  readonly receivedAt: string;
  readonly eventId: string;
  readonly value: Buffer;
}

/** A fact in its place among those of all partitions. */
export interface OrderedFact extends ReadFact {
  /** What follows it and all facts before it. */
  readonly next: StreamPosition;
}

interface Waiting {
  readonly fact: ReadFact;
  /** No earlier than those before it in its partition, whose order is kept. */
  readonly at: string;
  readonly readMs: number;
}

/**
 * Facts of an event stored later may be read earlier: each partition arrives by itself, and a fact is published within
 * milliseconds behind its answer. So each waits this long for those that were stored before it.
 */
export const WAIT_MS = 200;

/** Puts the facts of all partitions in the order in which the events were stored. Pure. */
export class StoredOrder {
  private waiting: Waiting[] = [];
  private readonly latest = new Map<number, string>();
  private position: number[] = [];
  private waitingBytes = 0;

  /** @param starts where reading begins */
  constructor(starts: ReadonlyMap<number, number>) {
    for (const [partition, offset] of starts) this.moveTo(partition, offset);
  }

  /** Of the facts that wait. */
  get bytes(): number {
    return this.waitingBytes;
  }

  add(fact: ReadFact, nowMs: number): void {
    const last = this.latest.get(fact.partition) ?? '';
    const at = fact.receivedAt > last ? fact.receivedAt : last;
    this.latest.set(fact.partition, at);
    this.waiting.push({ fact, at, readMs: nowMs });
    this.waitingBytes += fact.value.length;
  }

  /** Takes the facts that have waited long enough, and all that were stored before them. */
  take(nowMs: number, waitMs = WAIT_MS): readonly OrderedFact[] {
    let until: string | undefined;
    for (const { at, readMs } of this.waiting) {
      if (nowMs - readMs >= waitMs && (until === undefined || at > until)) until = at;
    }
    if (until === undefined) return [];
    const ripe: Waiting[] = [];
    const others: Waiting[] = [];
    for (const one of this.waiting) (one.at <= until ? ripe : others).push(one);
    this.waiting = others;
    return ripe.sort(byOrder).map(({ fact }) => {
      this.moveTo(fact.partition, fact.offset + 1);
      this.waitingBytes -= fact.value.length;
      return { ...fact, next: this.position.slice() };
    });
  }

  private moveTo(partition: number, offset: number): void {
    while (this.position.length < partition) this.position.push(0);
    this.position[partition] = offset;
  }
}

function byOrder(one: Waiting, other: Waiting): number {
  if (one.at !== other.at) return one.at < other.at ? -1 : 1;
  return one.fact.partition - other.fact.partition || one.fact.offset - other.fact.offset;
}
