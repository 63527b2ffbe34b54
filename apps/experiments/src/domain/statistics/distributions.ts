import upperGamma from '@stdlib/math-base-special-gammainc';
import normalCdf from '@stdlib/stats-base-dists-normal-cdf';
import normalPoint from '@stdlib/stats-base-dists-normal-quantile';
import studentCdf from '@stdlib/stats-base-dists-t-cdf';
import studentPoint from '@stdlib/stats-base-dists-t-quantile';

/**
 * The distributions of this folder. Each uses its lower tail, because 1 − cdf loses every digit of a small
 * probability.
 */

/** The point below which a standard normal variable lies with probability `p`, 0 < p < 1. */
export function normalQuantile(p: number): number {
  return normalPoint(p, 0, 1);
}

/** The probability that a standard normal variable is at least as far from zero as `z`. */
export function normalTwoSided(z: number): number {
  return 2 * normalCdf(-Math.abs(z), 0, 1);
}

/** The point below which Student's t with `df` degrees of freedom lies with probability `p`. */
export function studentQuantile(p: number, df: number): number {
  return studentPoint(p, df);
}

/** The probability that Student's t with `df` degrees of freedom is at least as far from zero as `t`. */
export function studentTwoSided(t: number, df: number): number {
  return 2 * studentCdf(-Math.abs(t), df);
}

/** The probability that chi-square with `df` degrees of freedom is at least `x`. */
export function chiSquareUpper(x: number, df: number): number {
  return upperGamma(x / 2, df / 2, true, true);
}
