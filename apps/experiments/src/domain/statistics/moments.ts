/** The inputs of a test for one arm: a count, a mean, and the unbiased variance of one observation. */
export interface Moments {
  readonly count: number;
  /** Null without any observation. */
  readonly mean: number | null;
  /** Null with fewer than two. */
  readonly variance: number | null;
}

/**
 * From exact sums. The difference n·Σx² − (Σx)² is computed in whole numbers. In doubles it cancels, and
 * large similar amounts would get a zero or negative variance.
 * @param scale units of the sums in one unit of the answer: 100 for cents
 */
export function momentsOf(count: bigint, sum: bigint, squares: bigint, scale: number): Moments {
  const n = Number(count);
  if (count === 0n) return { count: n, mean: null, variance: null };
  const mean = Number(sum) / n / scale;
  if (count === 1n) return { count: n, mean, variance: null };
  const spread = count * squares - sum * sum;
  return { count: n, mean, variance: Number(spread) / n / (n - 1) / scale / scale };
}
