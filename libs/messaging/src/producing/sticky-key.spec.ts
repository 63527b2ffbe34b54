import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { murmur2 } from '../driver-speed/murmur2.js';
import { StickyKey } from './sticky-key.js';

describe('a sticky key', () => {
  it('changes with the first value after a stretch is full, and never returns', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { minLength: 1, maxLength: 100 }), (lengths) => {
        const sticky = new StickyKey(20);
        const stretches: { key: string; characters: number; last: number }[] = [];
        for (const length of lengths) {
          const key = sticky.keyOf('x'.repeat(length));
          const current = stretches.at(-1);
          if (current?.key === key) {
            current.characters += length;
            current.last = length;
          } else stretches.push({ key, characters: length, last: length });
        }
        expect(new Set(stretches.map(({ key }) => key)).size).toBe(stretches.length);
        stretches.forEach(({ characters, last }, index) => {
          // Without its last value each was short of the length; all but the last one reached it.
          expect(characters - last).toBeLessThan(20);
          if (index < stretches.length - 1) expect(characters).toBeGreaterThanOrEqual(20);
        });
      }),
    );
  });

  it('gives every partition its share', () => {
    const sticky = new StickyKey(1);
    const counts = [0, 0, 0, 0, 0, 0];
    for (let index = 0; index < 6_000; index++) {
      const partition = (murmur2(Buffer.from(sticky.keyOf('x'))) & 0x7fffffff) % counts.length;
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(800);
  });
});
