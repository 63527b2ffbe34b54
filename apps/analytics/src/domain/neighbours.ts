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
  const weights = new Map(known.map(({ productId, weight }) => [productId, weight]));
  const keptBefore = new Set(weights.keys());
  // Those that are kept first: what is about to be added to them must not be lost to a newcomer.
  for (const [productId, weight] of added) {
    const kept = weights.get(productId);
    if (kept !== undefined) weights.set(productId, kept + weight);
  }
  for (const [productId, weight] of added) {
    if (keptBefore.has(productId)) continue;
    const place = weights.size < most ? undefined : lightestOf(weights);
    if (place !== undefined) weights.delete(place.productId);
    weights.set(productId, weight + (place?.weight ?? 0));
  }
  return [...weights].map(([productId, weight]) => ({ productId, weight })).sort(heavierFirst);
}

function lightestOf(weights: ReadonlyMap<string, number>): Neighbour | undefined {
  let lightest: Neighbour | undefined;
  for (const [productId, weight] of weights) {
    if (lightest === undefined || weight < lightest.weight) lightest = { productId, weight };
  }
  return lightest;
}

function heavierFirst(one: Neighbour, other: Neighbour): number {
  if (one.weight !== other.weight) return other.weight - one.weight;
  return one.productId < other.productId ? -1 : 1;
}
