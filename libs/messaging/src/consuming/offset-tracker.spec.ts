import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OffsetTracker, type Ticket } from './offset-tracker.js';

/** Ascending offsets with gaps, and an order in which some of them are finished. */
const histories = fc
  .uniqueArray(fc.nat({ max: 10_000 }), { minLength: 1, maxLength: 60 })
  .map((offsets) => offsets.sort((left, right) => left - right))
  .chain((offsets) => fc.record({ offsets: fc.constant(offsets), finished: fc.shuffledSubarray(offsets) }));

describe('OffsetTracker', () => {
  it('never offers an offset beyond the first unfinished message, in whatever order they finish', () => {
    fc.assert(
      fc.property(histories, ({ offsets, finished }) => {
        const tracker = new OffsetTracker();
        const tickets = new Map(offsets.map((offset) => [offset, tracker.take(offset)]));
        const open = new Set(offsets);
        for (const offset of finished) {
          tracker.finish(tickets.get(offset) ?? fail(offset));
          open.delete(offset);
          const firstOpen = Math.min(...open);
          expect(tracker.uncommitted() ?? 0).toBeLessThanOrEqual(firstOpen);
        }
      }),
    );
  });

  it('offers everything before the first unfinished message', () => {
    fc.assert(
      fc.property(histories, ({ offsets, finished }) => {
        const tracker = new OffsetTracker();
        const tickets = new Map(offsets.map((offset) => [offset, tracker.take(offset)]));
        for (const offset of finished) tracker.finish(tickets.get(offset) ?? fail(offset));
        const prefix = offsets.slice(0, offsets.findIndex((offset) => !finished.includes(offset)) >>> 0);
        const last = prefix.at(-1);
        expect(tracker.uncommitted()).toBe(last === undefined ? undefined : last + 1);
        expect(tracker.isBusy).toBe(finished.length < offsets.length);
      }),
    );
  });

  it('what was dropped may be taken again, and the end of what had begun behind it does not count for that', () => {
    const dropping = histories.chain(({ offsets, finished }) =>
      fc.record({
        offsets: fc.constant(offsets),
        finished: fc.constant(finished),
        from: fc.constantFrom(...offsets),
      }),
    );
    fc.assert(
      fc.property(dropping, fc.boolean(), ({ offsets, finished, from }, isFinishedBefore) => {
        const tracker = new OffsetTracker();
        const tickets = new Map(offsets.map((offset) => [offset, tracker.take(offset)]));
        const finishSome = (): void => {
          for (const offset of finished)
            if (offset !== from) tracker.finish(tickets.get(offset) ?? fail(offset));
        };
        if (isFinishedBefore) finishSome();
        tracker.drop(from);
        const again = offsets.filter((offset) => offset >= from).map((offset) => tracker.take(offset));
        if (!isFinishedBefore) finishSome();
        expect(tracker.uncommitted() ?? 0).toBeLessThanOrEqual(from);
        for (const offset of offsets) if (offset < from) tracker.finish(tickets.get(offset) ?? fail(offset));
        for (const ticket of again) tracker.finish(ticket);
        expect(tracker.uncommitted()).toBe((offsets.at(-1) ?? 0) + 1);
      }),
    );
  });

  it('offers the same, however many were finished behind one in progress before the next are taken', () => {
    const moves = fc.array(fc.record({ takes: fc.nat({ max: 3 }), finishes: fc.nat() }), { maxLength: 300 });
    fc.assert(
      fc.property(moves, (each) => {
        const tracker = new OffsetTracker();
        const open: Ticket[] = [];
        let next = 0;
        for (const { takes, finishes } of each) {
          for (let taken = 0; taken < takes; taken++) open.push(tracker.take(next++));
          const [ticket] = open.splice(finishes % Math.max(1, open.length), 1);
          if (ticket !== undefined) tracker.finish(ticket);
          const end = open[0]?.offset ?? next;
          expect(tracker.uncommitted()).toBe(end === 0 ? undefined : end);
          expect(tracker.isBusy).toBe(open.length > 0);
        }
      }),
    );
  });

  it('keeps hardly more than what is in progress, however much is finished behind it', () => {
    const tracker = new OffsetTracker();
    const first = tracker.take(0);
    for (let offset = 1; offset <= 10_000; offset++) {
      const ticket = tracker.take(offset);
      if (offset % 100 !== 0) tracker.finish(ticket);
    }
    expect((Reflect.get(tracker, 'tickets') as readonly Ticket[]).length).toBeLessThan(1_000);
    expect(tracker.uncommitted()).toBeUndefined();
    tracker.finish(first);
    expect(tracker.uncommitted()).toBe(100);
  });

  it('passes gaps as far as everything before them is finished', () => {
    const tracker = new OffsetTracker();
    const ticket = tracker.take(3);
    tracker.pass(4);
    expect(tracker.uncommitted()).toBeUndefined();
    tracker.finish(ticket);
    expect(tracker.uncommitted()).toBe(5);
    tracker.pass(2);
    expect([tracker.uncommitted(), tracker.lastTaken, tracker.isBusy]).toEqual([5, 4, false]);
  });

  it('offers an offset again until it was committed, and not after', () => {
    const tracker = new OffsetTracker();
    tracker.finish(tracker.take(7));
    expect(tracker.uncommitted()).toBe(8);
    expect(tracker.uncommitted()).toBe(8);
    tracker.committed(8);
    expect(tracker.uncommitted()).toBeUndefined();
    tracker.finish(tracker.take(12));
    expect(tracker.uncommitted()).toBe(13);
  });

  it('refuses an offset that was taken before', () => {
    const tracker = new OffsetTracker();
    tracker.take(3);
    expect(tracker.lastTaken).toBe(3);
    expect(() => tracker.take(3)).toThrow(RangeError);
  });
});

function fail(offset: number): never {
  throw new Error(`No ticket for ${offset}`);
}
