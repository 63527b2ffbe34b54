import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type OrderedFact, StoredOrder, WAIT_MS } from './stored-order.js';

const PARTITIONS = 4;
const MINUTE_MS = 60_000;
const FACT = { siteId: 'site', eventId: 'event', value: Buffer.alloc(0) };

/** Facts as they were stored, each with the delay until it is read; a partition is read in order. */
const stored = fc.array(
  fc.record({
    partition: fc.integer({ min: 0, max: PARTITIONS - 1 }),
    afterMs: fc.integer({ min: 0, max: 40 }),
    delayMs: fc.integer({ min: 0, max: WAIT_MS - 1 }),
  }),
  { maxLength: 60 },
);

interface Arrival {
  readonly number: number;
  readonly partition: number;
  readonly offset: number;
  readonly storedMs: number;
  readonly readMs: number;
}

function arrivalsOf(facts: readonly { partition: number; afterMs: number; delayMs: number }[]): Arrival[] {
  let storedMs = MINUTE_MS;
  const last = new Map<number, { offset: number; readMs: number }>();
  return facts.map(({ partition, afterMs, delayMs }, number) => {
    storedMs += afterMs;
    const before = last.get(partition) ?? { offset: -1, readMs: 0 };
    const place = { offset: before.offset + 1, readMs: Math.max(before.readMs, storedMs + delayMs) };
    last.set(partition, place);
    return { number, partition, storedMs, ...place };
  });
}

function handedOut(arrivals: readonly Arrival[], tickMs: number): readonly OrderedFact[] {
  const order = new StoredOrder(
    new Map(Array.from({ length: PARTITIONS }, (_, partition) => [partition, 0])),
  );
  const out: OrderedFact[] = [];
  const waiting = arrivals.toSorted((one, other) => one.readMs - other.readMs || one.number - other.number);
  const endMs = Math.max(0, ...arrivals.map(({ readMs }) => readMs)) + WAIT_MS + tickMs;
  for (let nowMs = 0; nowMs <= endMs; nowMs += tickMs) {
    while (waiting[0] !== undefined && waiting[0].readMs <= nowMs) {
      const { partition, offset, storedMs, readMs } = waiting.shift() as Arrival;
      const receivedAt = new Date(storedMs).toISOString();
      order.add({ ...FACT, partition, offset, receivedAt }, readMs);
    }
    out.push(...order.take(nowMs));
  }
  return out;
}

describe('the order of stored events', () => {
  it('events leave in the order of storage, whichever partition was read first, each once', () => {
    fc.assert(
      fc.property(stored, fc.integer({ min: 1, max: 100 }), (facts, tickMs) => {
        const arrivals = arrivalsOf(facts);
        const out = handedOut(arrivals, tickMs);
        expect(out.length).toBe(arrivals.length);
        const times = out.map(({ receivedAt }) => receivedAt);
        expect(times).toEqual(times.toSorted());
        const places = out.map(({ partition, offset }) => `${partition}:${offset}`);
        expect(new Set(places).size).toBe(out.length);
      }),
    );
  });

  it('the position behind an event leaves out all before it, and nothing after it', () => {
    fc.assert(
      fc.property(stored, (facts) => {
        const out = handedOut(arrivalsOf(facts), 50);
        out.forEach(({ next }, at) => {
          const rest = out.filter(({ partition, offset }) => offset >= (next[partition] ?? 0));
          expect(rest).toEqual(out.slice(at + 1));
        });
      }),
    );
  });

  it('an event that is told again with an old time keeps its place in its partition', () => {
    const order = new StoredOrder(new Map([[0, 5]]));
    const fact = { ...FACT, partition: 0 };
    order.add({ ...fact, offset: 5, receivedAt: '2026-01-01T00:00:01.000Z' }, 0);
    order.add({ ...fact, offset: 6, receivedAt: '2026-01-01T00:00:00.000Z' }, 0);
    expect(order.take(WAIT_MS).map(({ offset, next }) => [offset, next])).toEqual([
      [5, [6]],
      [6, [7]],
    ]);
  });
});
