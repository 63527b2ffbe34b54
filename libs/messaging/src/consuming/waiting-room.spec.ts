import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { workOf } from '../testing/works.js';
import { WaitingRoom } from './waiting-room.js';

describe('WaitingRoom', () => {
  it('fills a call up to the weight, in order of arrival, with at least one message', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 50 });
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 30 }), (each, maxWeight) => {
        const room = new WaitingRoom<number>();
        room.enter(each.map((weight, index) => workOf(index, { weight })));
        const seen: number[] = [];
        for (let taken = room.next(maxWeight); taken.length > 0; taken = room.next(maxWeight)) {
          const weight = taken.reduce((sum, work) => sum + work.weight, 0);
          expect(taken.length === 1 || weight <= maxWeight).toBe(true);
          seen.push(...taken.map(({ item }) => item));
        }
        expect(seen).toEqual(each.map((_, index) => index));
      }),
    );
  });

  it('lets one message of a lane out at a time, and those of other lanes overtake', () => {
    const room = new WaitingRoom<number>();
    room.enter([workOf(0, { lane: 'a' }), workOf(1, { lane: 'a' }), workOf(2, { lane: 'b' })]);
    expect(room.next(1).map(({ item }) => item)).toEqual([0]);
    expect(room.next(1).map(({ item }) => item)).toEqual([2]);
    expect(room.next(1)).toEqual([]);
    room.leaveLane('a');
    expect(room.next(1).map(({ item }) => item)).toEqual([1]);
  });

  it('keeps the order of each lane whatever the calls take', () => {
    const lanes = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 });
    fc.assert(
      fc.property(lanes, (names) => {
        const room = new WaitingRoom<number>();
        room.enter(names.map((lane, index) => workOf(index, { lane })));
        const seen: Record<string, number[]> = { a: [], b: [], c: [] };
        for (let taken = room.next(2); taken.length > 0; taken = room.next(2)) {
          for (const { item, lane = '' } of taken) seen[lane]?.push(item);
          for (const { lane } of taken) room.leaveLane(lane);
        }
        for (const items of Object.values(seen)) expect(items).toEqual(items.toSorted((l, r) => l - r));
        expect(Object.values(seen).flat()).toHaveLength(names.length);
      }),
    );
  });
});
