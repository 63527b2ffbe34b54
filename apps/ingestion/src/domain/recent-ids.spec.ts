import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RecentIds } from './event-key-filter.js';

/** More than it remembers. */
const MANY = 700_000;

describe('recent ids', () => {
  it('recent ids contain what was added last, and hardly anything else', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 50 }), (ids) => {
        const recent = new RecentIds();
        const [last = '', ...others] = ids;
        expect(recent.has(last)).toBe(false);
        for (const id of others) recent.add(id);
        recent.add(last);
        expect(recent.has(last)).toBe(true);
      }),
    );
  });

  it('recent ids do not contain an id of zeros before it was added', () => {
    const recent = new RecentIds();
    const id = '00000001-0000-4000-8000-000000000000';
    expect(recent.has(id)).toBe(false);
    recent.add(id);
    expect(recent.has(id)).toBe(true);
  });

  it('recent ids forget older ones, and keep their size', () => {
    const recent = new RecentIds();
    const idOf = (n: number): string => {
      const digits = Math.imul(n, 2_654_435_761) >>> 0;
      return `${digits.toString(16).padStart(8, '0')}-0000-4000-8000-0000${n.toString(16).padStart(8, '0')}`;
    };
    for (let n = 1; n <= MANY; n++) recent.add(idOf(n));
    const known = (from: number): number => {
      let count = 0;
      for (let n = from; n < from + 1_000; n++) if (recent.has(idOf(n))) count++;
      return count;
    };
    expect(known(MANY - 999)).toBeGreaterThan(900);
    expect(known(1)).toBeLessThan(100);
  });
});
