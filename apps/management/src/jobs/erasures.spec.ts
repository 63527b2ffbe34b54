import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ClientBase } from 'pg';
import { type Erasure, eraseSome } from './erasures.js';

/** Not used by tables in memory. */
const NO_CLIENT = {} as ClientBase;

it('erasing ends with nothing left, whatever number of rows there is and however many go at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(50), { maxLength: 6 }),
      fc.integer({ min: 1, max: 20 }),
      async (rows, rowsPerPiece) => {
        const left = [...rows];
        const erasures = left.map((_, index): Erasure => ({
          table: `table-${index}`,
          erase: (_client, ownerId, limit) => {
            expect(ownerId).toBe('owner');
            expect(limit).toBeGreaterThan(0);
            const erased = Math.min(left[index] ?? 0, limit);
            left[index] = (left[index] ?? 0) - erased;
            const facts = Array.from({ length: erased }, () => ({
              topic: 't',
              key: `${index}`,
              value: null,
            }));
            return Promise.resolve({ rows: erased, facts });
          },
        }));
        const total = rows.reduce((sum, count) => sum + count, 0);
        let done = 0;
        for (let pieces = 0; pieces < Math.ceil(total / rowsPerPiece); pieces += 1) {
          const piece = await eraseSome(NO_CLIENT, erasures, 'owner', rowsPerPiece);
          // Each piece but the last is full, and reports everything that it deleted.
          expect(piece?.report.done).toBe(Math.min(rowsPerPiece, total - done));
          expect(piece?.report).toMatchObject({ cursor: 'more', found: piece?.report.done });
          expect(piece?.facts).toHaveLength(piece?.report.done ?? -1);
          done += piece?.report.done ?? 0;
        }
        expect(await eraseSome(NO_CLIENT, erasures, 'owner', rowsPerPiece)).toBeUndefined();
        expect(left.every((count) => count === 0)).toBe(true);
      },
    ),
  );
});
