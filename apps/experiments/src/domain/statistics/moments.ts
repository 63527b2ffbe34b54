/** What a test needs to know of one arm's sample: a count, a mean, and the unbiased variance of one observation. */
export interface Moments {
  readonly count: number;
  /** Null without any observation. */
  readonly mean: number | null;
  /** Null with fewer than two. */
  readonly variance: number | null;
}

/**
 * From exact sums. The difference n·Σx² − (Σx)² is taken in whole numbers: in doubles it cancels, and amounts that are
 * large and alike would have no variance, or a negative one.
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
