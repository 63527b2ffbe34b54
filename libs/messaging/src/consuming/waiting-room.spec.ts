import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fetched } from '../testing/fetched.js';
import { workOf } from '../testing/works.js';
import { OffsetTracker } from './offset-tracker.js';
import { InHand, WaitingRoom } from './waiting-room.js';
import { type Work } from './work.js';

const ONE = { weight: 1, bytes: Infinity };
const TWO = { weight: 2, bytes: Infinity };
const PLACES = 128;

describe('WaitingRoom', () => {
  it('fills a call up to the weight and the bytes, in order of arrival, with at least one message', () => {
    const size = fc.integer({ min: 1, max: 20 });
    const sizes = fc.array(fc.record({ weight: size, bytes: size }), { maxLength: 50 });
    const bound = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(sizes, fc.record({ weight: bound, bytes: bound }), (each, most) => {
        const room = new WaitingRoom<number>(PLACES);
        room.enter(each.map((one, index) => workOf(index, one)));
        const seen: number[] = [];
        for (let taken = room.next(most); taken.length > 0; taken = room.next(most)) {
          const sum = (of: 'bytes' | 'weight'): number => taken.reduce((total, work) => total + work[of], 0);
          expect(taken.length === 1 || (sum('weight') <= most.weight && sum('bytes') <= most.bytes)).toBe(
            true,
          );
          seen.push(...taken.map(({ item }) => item));
        }
        expect(room.isEmpty).toBe(true);
        expect(room.fills({ weight: 1, bytes: 1 })).toBe(false);
        expect(seen).toEqual(each.map((_, index) => index));
      }),
    );
  });

  it('lets one message of a lane out at a time, and those of other lanes overtake', () => {
    const room = new WaitingRoom<number>(PLACES);
    room.enter([workOf(0, { lane: 'a' }), workOf(1, { lane: 'a' }), workOf(2, { lane: 'b' })]);
    expect(room.next(ONE).map(({ item }) => item)).toEqual([0]);
    expect(room.next(ONE).map(({ item }) => item)).toEqual([2]);
    expect(room.next(ONE)).toEqual([]);
    room.leave(workOf(0, { lane: 'a' }));
    expect(room.next(ONE).map(({ item }) => item)).toEqual([1]);
  });

  it('keeps the order of each lane whatever the calls take', () => {
    const lanes = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 });
    fc.assert(
      fc.property(lanes, (names) => {
        const room = new WaitingRoom<number>(PLACES);
        room.enter(names.map((lane, index) => workOf(index, { lane })));
        const seen: Record<string, number[]> = { a: [], b: [], c: [] };
        for (let taken = room.next(TWO); taken.length > 0; taken = room.next(TWO)) {
          for (const { item, lane = '' } of taken) seen[lane]?.push(item);
          for (const work of taken) room.leave(work);
        }
        for (const items of Object.values(seen)) expect(items).toEqual(items.toSorted((l, r) => l - r));
        expect(Object.values(seen).flat()).toHaveLength(names.length);
      }),
    );
  });

  it('gives a holder half of the places that others leave, whatever waits of it, and no message of it is lost', () => {
    const room = new WaitingRoom<number>(PLACES);
    const locked = Array.from({ length: 1_000 }, (_, index) => workOf(index, { holder: 'locked' }));
    room.enter(locked);
    const begin = (): readonly Work<number>[] => {
      const begun: Work<number>[] = [];
      for (let taken = room.next(ONE); taken.length > 0; taken = room.next(ONE)) begun.push(...taken);
      return begun;
    };
    let begun = begin();
    expect(begun).toHaveLength(PLACES / 2);
    room.enter([workOf(1_000, { holder: 'other' }), workOf(1_001)]);
    expect(begin().map(({ item }) => item)).toEqual([1_000, 1_001]);
    room.leave(workOf(1_000, { holder: 'other' }));
    room.leave(workOf(1_001));
    const done: number[] = [];
    for (; begun.length > 0; begun = begin()) {
      done.push(...begun.map(({ item }) => item));
      for (const work of begun) room.leave(work);
    }
    expect(done).toEqual(locked.map(({ item }) => item));
  });

  it('keeps the order of a lane, also where the first of it waits for a place of its holder', () => {
    const room = new WaitingRoom<number>(4);
    const holder = 'locked';
    room.enter([workOf(0, { holder }), workOf(1, { holder }), workOf(2, { holder, lane: 'a' })]);
    room.enter([workOf(3, { lane: 'a' }), workOf(4, { lane: 'b' })]);
    const begun = [ONE, ONE, ONE, ONE].flatMap((most) => room.next(most).map(({ item }) => item));
    expect(begun).toEqual([0, 1, 4]);
    room.leave(workOf(0, { holder }));
    room.leave(workOf(1, { holder }));
    expect(room.next(ONE).map(({ item }) => item)).toEqual([2]);
  });

  it('passes no place of a message that has begun behind one that waits', () => {
    const room = new WaitingRoom<number>(PLACES);
    room.enter([workOf(0, { lane: 'a' }), workOf(1, { lane: 'a' })]);
    room.next(ONE);
    for (let number = 2; number <= 10_000; number++) {
      room.enter([workOf(number, { lane: 'b' })]);
      const [begun] = room.next(ONE);
      expect(begun?.item).toBe(number);
      if (begun !== undefined) room.leave(begun);
    }
    expect((Reflect.get(room, 'works') as readonly unknown[]).length).toBeLessThan(100);
    room.leave(workOf(0, { lane: 'a' }));
    expect(room.next(ONE).map(({ item }) => item)).toEqual([1]);
  });

  it('an answer that was fetched is not kept by messages of it that wait behind many others', async () => {
    const room = new WaitingRoom<number>(PLACES);
    const answers = new Set<ArrayBufferLike>();
    const tracker = new OffsetTracker();
    room.enter([workOf(0, { lane: 'a' })]);
    room.next(ONE);
    for (let number = 1; number <= 1_000; number++) {
      const { message, answer } = await fetched();
      answers.add(answer);
      room.enter([{ ...workOf(number, { lane: 'a', tracker }), message }, workOf(number)]);
      room.next(ONE).forEach((work) => room.leave(work));
    }
    const left = room.dismiss(new Set([tracker]));
    expect(left).toHaveLength(1_000);
    const kept = left.filter(({ message: { value } }) => value !== null && answers.has(value.buffer));
    expect(kept.length).toBeLessThan(65);
    expect(new Set(left.map(({ message: { value } }) => value?.toString()))).toEqual(new Set(['value']));
  });
});

const MOST = { weight: 4_096, bytes: 16_000_000 };
const LARGE = { weight: 1, bytes: 1_000_000 };

/** What a holder has in hand who sends this until it is refused. */
function fill(inHand: InHand, message: { readonly weight: number; readonly bytes: number }, holder: string) {
  let taken = 0;
  for (; !inHand.isBeyondShare({ ...message, holder }); taken++) inHand.take({ ...message, holder });
  return taken;
}

describe('InHand', () => {
  it('leaves room to others whatever one holder sends, and half of it to each', () => {
    for (const message of [LARGE, { weight: 1, bytes: 100 }]) {
      const inHand = new InHand(MOST);
      const most = Math.min(MOST.weight / message.weight, MOST.bytes / message.bytes);
      expect(fill(inHand, message, 'first')).toBe(most / 2);
      expect(fill(inHand, message, 'second')).toBe(most / 4);
      expect(fill(inHand, message, 'third')).toBe(most / 8);
      expect(inHand.hasRoom).toBe(true);
      expect(inHand.isBeyondShare({ ...message, holder: 'fourth' })).toBe(false);
    }
  });

  it('takes the first message of a holder however large it is, and any number of nobody’s', () => {
    const inHand = new InHand(MOST);
    const nobodys = { ...LARGE, holder: undefined };
    for (let bytes = 0; bytes < MOST.bytes; bytes += LARGE.bytes) {
      expect(inHand.isBeyondShare(nobodys)).toBe(false);
      inHand.take(nobodys);
    }
    expect(inHand.hasRoom).toBe(false);
    expect(inHand.isBeyondShare({ ...LARGE, holder: 'first' })).toBe(false);
  });

  it('messages that were taken and have left leave nothing behind, in whichever order they go', () => {
    const messages = fc.array(
      fc.record({
        weight: fc.integer({ min: 1, max: 9 }),
        bytes: fc.nat({ max: 2_000_000 }),
        holder: fc.constantFrom('first', 'second', undefined),
      }),
    );
    fc.assert(
      fc.property(messages, (all) => {
        const inHand = new InHand(MOST);
        for (const message of all) inHand.take(message);
        expect(inHand.isEmpty).toBe(all.length === 0);
        for (const message of all.toReversed()) inHand.leave(message);
        expect(inHand.isEmpty).toBe(true);
        expect(inHand.weight).toBe(0);
        expect(fill(inHand, LARGE, 'first')).toBe(8);
      }),
    );
  });
});
