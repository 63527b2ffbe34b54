import type { Estimate, Interval, MeanEstimate } from '@truetally/contracts/experiments';
import { normalQuantile, studentQuantile } from './distributions.js';
import type { Moments } from './moments.js';
import { hallInterval, isSkewed } from './skewness.js';

/** Why an estimate is null. */
export const REASONS = {
  noSessions: 'no_sessions',
  oneSession: 'one_session',
  noVariance: 'no_variance',
  controlIsZero: 'control_is_zero',
  fewSessions: 'few_sessions',
} as const;

/** A mean over sessions with its t interval, and the interval that accounts for the sample's skewness. */
export function estimateMean(moments: Moments, skewness: number | null, alpha: number): MeanEstimate {
  const { count, mean, variance } = moments;
  if (mean === null) return noMean(REASONS.noSessions);
  if (variance === null) return { ...noMean(REASONS.oneSession), value: mean };
  const standardError = Math.sqrt(variance / count);
  const reach = studentQuantile(1 - alpha / 2, count - 1) * standardError;
  return {
    value: mean,
    standard_error: standardError,
    confidence_interval: { level: 1 - alpha, low: mean - reach, high: mean + reach },
    skewness,
    skewed: skewness !== null && isSkewed(count, skewness),
    adjusted_interval: hallInterval(moments, skewness, alpha),
  };
}

/** A share of sessions with its Wilson interval (Wilson 1927, "Probable inference"). */
export function estimateShare(successes: number, count: number, alpha: number): Estimate {
  if (count === 0) return nothing(REASONS.noSessions);
  const share = successes / count;
  return {
    value: share,
    standard_error: Math.sqrt((share * (1 - share)) / count),
    confidence_interval: wilson(successes, count, alpha),
  };
}

function wilson(successes: number, count: number, alpha: number): Interval {
  const z = normalQuantile(1 - alpha / 2);
  const share = successes / count;
  const shrink = 1 + z ** 2 / count;
  const centre = (share + z ** 2 / (2 * count)) / shrink;
  const reach = (z / shrink) * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  // At the ends the bound is exact, without rounding errors.
  return {
    level: 1 - alpha,
    low: successes === 0 ? 0 : Math.max(0, centre - reach),
    high: successes === count ? 1 : Math.min(1, centre + reach),
  };
}

/** A mean that cannot be estimated. */
export function noMean(reason: string): MeanEstimate {
  return { ...nothing(reason), skewness: null, skewed: false, adjusted_interval: null };
}

/** An estimate that cannot be made. */
export function nothing(reason: string): Estimate {
  return { value: null, standard_error: null, confidence_interval: null, reason };
}
