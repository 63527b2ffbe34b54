import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { uuidFromFingerprint } from '@truetally/kernel';
import fc from 'fast-check';
import { addKeys, emptyBits, EventKeyFilter, filterSize, KEY_BYTES } from './event-key-filter.js';

const eventIds = fc
  .integer({ min: 0, max: 500 })
  .map((seed) => uuidFromFingerprint(createHash('sha256').update(String(seed)).digest()));

const toBytes = (ids: readonly string[]): Buffer => Buffer.from(ids.join('').replaceAll('-', ''), 'hex');

function candidatesOf(filter: EventKeyFilter, eventId: string): number[] {
  const slots: number[] = [];
  filter.candidates(eventId, slots);
  return slots;
}

function loadInChunks(filter: EventKeyFilter, slot: number, bits: Uint8Array, chunk: number): void {
  for (let offset = 0; offset < bits.length; offset += chunk) {
    filter.load(slot, bits.subarray(offset, offset + chunk), offset);
  }
}

describe('the filter of closed partitions', () => {
  it('never denies a key of a loaded slot, whatever was loaded and cleared before', () => {
    const step = fc.oneof(
      fc.record({
        slot: fc.nat(39),
        keys: fc.array(eventIds, { maxLength: 60 }),
        chunk: fc.integer({ min: 1, max: 70 }),
      }),
      fc.record({ slot: fc.nat(39), clear: fc.constant(true) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const filter = new EventKeyFilter(filterSize(6_144, 40));
        const model = new Map<number, readonly string[]>();
        for (const one of steps) {
          filter.clear(one.slot, 0, 300);
          filter.clear(one.slot, 300, Number.MAX_SAFE_INTEGER);
          model.delete(one.slot);
          if (!('keys' in one)) continue;
          const bits = emptyBits(filter.size.positions);
          addKeys(bits, toBytes(one.keys));
          loadInChunks(filter, one.slot, bits, one.chunk);
          model.set(one.slot, one.keys);
        }
        for (const [slot, keys] of model) {
          for (const key of keys) expect(candidatesOf(filter, key)).toContain(slot);
        }
        for (const slot of candidatesOf(filter, randomUUID())) expect(model.has(slot)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('names each candidate once, in ascending order, and no slot that is empty', () => {
    const filter = new EventKeyFilter(filterSize(80_000, 40));
    const key = randomUUID();
    const bits = emptyBits(filter.size.positions);
    addKeys(bits, toBytes([key]));
    for (const slot of [0, 7, 8, 31, 32, 39, 63]) filter.load(slot, bits, 0);
    expect(candidatesOf(filter, key)).toEqual([0, 7, 8, 31, 32, 39, 63]);
  });

  it('the filter of closed partitions has nothing of a slot that was cleared, and all of the others', () => {
    const filter = new EventKeyFilter(filterSize(8_000, 40));
    const key = randomUUID();
    const bits = emptyBits(filter.size.positions);
    addKeys(bits, toBytes([key]));
    for (const slot of [2, 3, 35]) filter.load(slot, bits, 0);
    filter.clear(3, 0, 0);
    expect(candidatesOf(filter, key)).toEqual([2, 3, 35]);
    filter.clear(3, 0, filter.size.positions);
    expect(candidatesOf(filter, key)).toEqual([2, 35]);
    filter.clear(35, 0, Number.MAX_SAFE_INTEGER);
    expect(candidatesOf(filter, key)).toEqual([2]);
    filter.load(3, emptyBits(filter.size.positions), 0);
    expect(candidatesOf(filter, key)).toEqual([2]);
  });

  it('a filter is cleared in the given rows, and in no others', () => {
    const filter = new EventKeyFilter(filterSize(8_000, 40));
    const { positions } = filter.size;
    // All positions of the first one are the first row; the other one has the last row, too.
    const [first, last] = ['00000000-0000-4000-8000-000000000001', 'ffffffff-0000-4000-8000-000000000001'];
    const whole = new Uint8Array(positions / 8).fill(0xff);
    filter.load(35, whole, 0);
    filter.clear(35, 1, positions);
    expect([candidatesOf(filter, first), candidatesOf(filter, last)]).toEqual([[35], []]);
    filter.clear(35, 0, 1);
    filter.load(35, whole, 0);
    filter.clear(35, 0, positions - 1);
    expect(candidatesOf(filter, first)).toEqual([]);
  });

  it('the filter has the calculated false positives: ten bits per key, seven positions, 0.82 %', () => {
    const filter = new EventKeyFilter(filterSize(400_000, 8));
    const keys = Array.from({ length: filter.size.positions / 10 }, () => randomUUID());
    const bits = emptyBits(filter.size.positions);
    addKeys(bits, toBytes(keys));
    filter.load(3, bits, 0);
    const asked = 50_000;
    let wrong = 0;
    for (let index = 0; index < asked; index += 1) wrong += candidatesOf(filter, randomUUID()).length;
    expect(wrong / asked).toBeGreaterThan(0.006);
    expect(wrong / asked).toBeLessThan(0.011);
  });

  it('takes keys as Postgres sends them, 16 bytes each', () => {
    expect(toBytes([randomUUID(), randomUUID()])).toHaveLength(2 * KEY_BYTES);
  });

  it('stays within its memory, and needs some', () => {
    const { positions, slots } = filterSize(32 * 1_048_576, 32);
    expect(slots).toBe(32);
    expect((positions * slots) / 8).toBeLessThanOrEqual(32 * 1_048_576);
    expect(positions % 8).toBe(0);
    expect(((positions + 8) * slots) / 8).toBeGreaterThan(32 * 1_048_576);
    expect(filterSize(64, 64)).toEqual({ positions: 8, slots: 64 });
    expect(() => filterSize(16, 38)).toThrow(RangeError);
  });
});
