import type { AdjustedInterval } from '@truetally/contracts/experiments';
import { normalQuantile } from './distributions.js';

/** The mean of an arm, and the variance of this mean. */
export interface ArmMean {
  readonly mean: number;
  readonly variance: number;
}

/**
 * The interval of treatment ÷ control − 1 by Fieller's theorem (Fieller, "Some problems in interval
 * estimation", Journal of the Royal Statistical Society B 16, 1954): every ratio ρ for which treatment − ρ ×
 * control does not differ significantly from zero. The skews of the two means cancel in that difference, but
 * not in the delta method's ratio.
 * @returns null where control's mean may be zero: then any ratio is possible
 */
export function fiellerInterval(
  control: ArmMean,
  treatment: ArmMean,
  alpha: number,
): AdjustedInterval | null {
  const reach = normalQuantile(1 - alpha / 2) ** 2;
  const base = control.mean ** 2 - reach * control.variance;
  if (base <= 0) return null;
  const root = Math.sqrt(reach * (treatment.variance * base + control.variance * treatment.mean ** 2));
  const product = treatment.mean * control.mean;
  const [low, high] = [(product - root) / base - 1, (product + root) / base - 1];
  return Number.isFinite(low) && Number.isFinite(high)
    ? { level: 1 - alpha, low, high, method: 'fieller' }
    : null;
}
