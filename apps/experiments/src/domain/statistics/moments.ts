/** The inputs of a test for one arm: a count, a mean, and the unbiased variance of one observation. */
export interface Moments {
  readonly count: number;
  /** Null without any observation. */
  readonly mean: number | null;
  /** Null with fewer than two. */
  readonly variance: number | null;
}

/** An arm's sessions, with what decides how far their mean is from a normal distribution. */
export interface ArmSample extends Moments {
  /** Of one session; null if unknown, with fewer than three, or without variance. */
  readonly skewness: number | null;
  /** Sessions that bought; of a share, the rarer of converted and not converted. */
  readonly conversions: number;
}

/** The two arms of a comparison. */
export interface ArmSamples {
  readonly control: ArmSample;
  readonly treatment: ArmSample;
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

/** Sessions of an arm, and how many of them converted. */
export interface Share {
  readonly successes: number;
  readonly count: number;
}

/** A sample of ones and zeros, as the unpooled test takes it: p(1 − p), not corrected by n − 1. */
export function sampleOfShare({ successes, count }: Share): ArmSample {
  const conversions = Math.min(successes, count - successes);
  if (count === 0) return { count, mean: null, variance: null, skewness: null, conversions };
  const mean = successes / count;
  const spread = mean * (1 - mean);
  return {
    count,
    mean,
    variance: count === 1 ? null : spread,
    skewness: spread > 0 ? (1 - 2 * mean) / Math.sqrt(spread) : null,
    conversions,
  };
}
