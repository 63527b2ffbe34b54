import type { AdjustedInterval } from '@truetally/contracts/experiments';
import { normalQuantile } from './distributions.js';
import { leanOf } from './lean.js';
import type { ArmSample, ArmSamples } from './moments.js';
import { transformed } from './skewness.js';

/**
 * The interval of treatment ÷ control − 1 by Fieller's theorem (Fieller, "Some problems in interval
 * estimation", Journal of the Royal Statistical Society B 16, 1954): every ratio ρ for which treatment − ρ ×
 * control does not differ significantly from zero. With arms of equal size their skews cancel in that
 * difference. With a small arm they do not, so that the interval also has every ρ for which the difference is
 * not significant after Hall's transformation.
 * @returns null where control's mean may be zero: then any ratio is possible
 */
export function fiellerInterval(arms: ArmSamples, alpha: number): AdjustedInterval | null {
  const [control, treatment] = [meanOf(arms.control), meanOf(arms.treatment)];
  const reach = normalQuantile(1 - alpha / 2);
  const base = control.mean ** 2 - reach ** 2 * control.variance;
  if (base <= 0) return null;
  const root = reach * Math.sqrt(treatment.variance * base + control.variance * treatment.mean ** 2);
  const product = treatment.mean * control.mean;
  const isPossible = (ratio: number): boolean => {
    const distance = treatment.mean - ratio * control.mean;
    const standardError = Math.sqrt(treatment.variance + ratio ** 2 * control.variance);
    const lean = leanOf(arms, ratio);
    return lean !== null && Math.abs(transformed(distance / standardError, lean)) <= reach;
  };
  const step = root / base;
  const low = furthest(isPossible, (product - root) / base, -step);
  const high = furthest(isPossible, (product + root) / base, step);
  return low !== null && high !== null
    ? { level: 1 - alpha, low: low - 1, high: high - 1, method: 'fieller' }
    : null;
}

function meanOf({ mean, variance, count }: ArmSample): { mean: number; variance: number } {
  return { mean: mean ?? 0, variance: (variance ?? 0) / count };
}

/** The last possible ratio from `start` on in steps of growing size, or `start` if it is none; null without end. */
function furthest(isPossible: (ratio: number) => boolean, start: number, step: number): number | null {
  if (!Number.isFinite(start)) return null;
  let [inside, width] = [start, step];
  if (width === 0 || !isPossible(start)) return start;
  while (isPossible(inside + width)) {
    inside += width;
    width *= 2;
    if (!(Math.abs(width / step) < MOST_STEPS)) return null;
  }
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    width /= 2;
    if (isPossible(inside + width)) inside += width;
  }
  return inside;
}

/** Widths of the interval by Fieller: further out is no bound. */
const MOST_STEPS = 2 ** 20;
/** More would not change a double. */
const HALVINGS = 60;
