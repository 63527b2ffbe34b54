/** Neighbours that are kept of a product. */
export const MOST_NEIGHBOURS = 64;

export interface Neighbour {
  readonly productId: string;
  readonly weight: number;
}

/**
 * The heaviest neighbours of a product in bounded room (Space-Saving: Metwally and others, 2005). A new one takes the
 * place of the lightest and its weight. So a kept weight is at least the true one, and exceeds it by at most the lightest
 * kept weight; a neighbour that is not kept has at most that; and one with more than 1/`most` of all that was added is
 * always kept. Until the list is full, it is exact.
 * @param known heaviest first
 * @param added by product
 * @returns heaviest first
 */
export function addNeighbours(
  known: readonly Neighbour[],
  added: ReadonlyMap<string, number>,
  most: number = MOST_NEIGHBOURS,
): readonly Neighbour[] {
  const kept: Neighbour[] = [];
  const keptBefore = new Set<string>();
  // Those that are kept first: what is about to be added to them must not be lost to a newcomer.
  for (const one of known) {
    const weight = added.get(one.productId);
    if (weight === undefined) {
      kept.push(one);
      continue;
    }
    keptBefore.add(one.productId);
    kept.push({ productId: one.productId, weight: one.weight + weight });
  }
  for (const [productId, weight] of added) {
    if (keptBefore.has(productId)) continue;
    const left = kept.length < most ? 0 : takeLightest(kept);
    kept.push({ productId, weight: weight + left });
  }
  return kept.sort(heavierFirst);
}

/** @returns its weight */
function takeLightest(kept: Neighbour[]): number {
  let place = 0;
  let lightest = Infinity;
  for (const [index, { weight }] of kept.entries()) {
    if (weight < lightest) [place, lightest] = [index, weight];
  }
  kept.splice(place, 1);
  return lightest;
}

function heavierFirst(one: Neighbour, other: Neighbour): number {
  if (one.weight !== other.weight) return other.weight - one.weight;
  return one.productId < other.productId ? -1 : 1;
}
