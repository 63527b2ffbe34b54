import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addNeighbours, type Neighbour } from './neighbours.js';

const MOST = 4;
/** What baskets add, in pieces as they are folded. Weights are whole, so that sums are exact. */
const pieces = fc.array(
  fc.array(fc.tuple(fc.constantFrom(...'abcdefghijkl'), fc.integer({ min: 1, max: 9 })), { maxLength: 8 }),
  { maxLength: 12 },
);

function summed(added: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [id, weight] of added) sums.set(id, (sums.get(id) ?? 0) + weight);
  return sums;
}

describe('the neighbours of a product', () => {
  it('the neighbours that are kept are within their bound, in whatever order and pieces they are added', () => {
    fc.assert(
      fc.property(pieces, (told) => {
        let kept: readonly Neighbour[] = [];
        for (const piece of told) kept = addNeighbours(kept, summed(piece), MOST);
        const truth = summed(told.flat());
        expect(kept).toHaveLength(Math.min(MOST, truth.size));
        expect(kept.map(({ weight }) => weight)).toEqual(
          kept.map(({ weight }) => weight).toSorted((one, other) => other - one),
        );
        const lightest = kept.at(-1)?.weight ?? 0;
        const slack = truth.size > MOST ? lightest : 0;
        const total = [...truth.values()].reduce((sum, weight) => sum + weight, 0);
        // Each comparison told to Jest would cost more than all that is compared.
        const beyond = [...truth].filter(([id, weight]) => {
          const estimate = kept.find(({ productId }) => productId === id)?.weight;
          if (estimate === undefined) return weight > lightest || weight > total / MOST;
          return estimate < weight || estimate > weight + slack;
        });
        expect(beyond).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});
