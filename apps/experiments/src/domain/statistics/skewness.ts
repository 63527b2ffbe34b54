import type { AdjustedInterval } from '@truetally/contracts/experiments';
import { studentQuantile } from './distributions.js';
import type { ArmSample } from './moments.js';

/**
 * Third central moment over the third power of the standard deviation, from exact sums: in doubles the
 * differences of large sums cancel. It has no unit, so that cents and euros give the same.
 * @returns null with fewer than three observations, or without variance
 */
export function skewnessOf(count: bigint, sum: bigint, squares: bigint, cubes: bigint): number | null {
  const spread = count * squares - sum * sum;
  if (count < FEWEST || spread <= 0n) return null;
  const third = count * count * cubes - 3n * count * sum * squares + 2n * sum * sum * sum;
  const skewness = Number(third) / Number(spread) ** 1.5;
  return Number.isFinite(skewness) ? skewness : null;
}

const FEWEST = 3n;

/** The interval of a mean by Hall's transformation. Without skewness it is the t interval. */
export function hallInterval(
  { count, mean, variance, skewness }: ArmSample,
  alpha: number,
): AdjustedInterval | null {
  if (mean === null || variance === null || skewness === null) return null;
  const reach = studentQuantile(1 - alpha / 2, count - 1);
  return hallBounds(mean, Math.sqrt(variance / count), skewness / Math.sqrt(count), reach, alpha);
}

/**
 * Bounds by Hall's transformation (Hall, "On the removal of skewness by transformation", Journal of the Royal
 * Statistical Society B 54, 1992): t is made symmetric by a monotone cubic whose inverse gives the bounds.
 * @param lean the skewness of the estimate
 * @param reach the quantile that t is compared with
 */
export function hallBounds(
  estimate: number,
  standardError: number,
  lean: number,
  reach: number,
  alpha: number,
): AdjustedInterval | null {
  const low = estimate - standardError * untransformed(reach, lean);
  const high = estimate - standardError * untransformed(-reach, lean);
  return Number.isFinite(low) && Number.isFinite(high)
    ? { level: 1 - alpha, low, high, method: 'hall' }
    : null;
}

/** Hall's transformation of a t statistic. @param lean the skewness over the root of the count */
export function transformed(t: number, lean: number): number {
  return t + (lean * t ** 2) / 3 + (lean ** 2 * t ** 3) / 27 + lean / 6;
}

/** The inverse of Hall's transformation. */
function untransformed(x: number, lean: number): number {
  if (Math.abs(lean) < NO_LEAN) return x;
  return (3 / lean) * (Math.cbrt(1 + lean * (x - lean / 6)) - 1);
}

/**
 * Below it, the difference of two numbers near one would lose more digits than the transformation changes.
 */
const NO_LEAN = 1e-6;
