import type { Estimate, Interval, MeanEstimate, ShareEstimate } from '@truetally/contracts/experiments';
import { normalQuantile, studentQuantile } from './distributions.js';
import { FEWEST_CONVERSIONS, isMeanSkewed, ORDER_SKEWNESS, SHARE_SKEWNESS } from './lean.js';
import { type ArmSample, sampleOfShare, type Share } from './moments.js';
import { hallInterval } from './skewness.js';

/** Why a value is null. */
export const REASONS = {
  noSessions: 'no_sessions',
  oneSession: 'one_session',
  noVariance: 'no_variance',
  noOrders: 'no_orders',
  controlIsZero: 'control_is_zero',
  controlIsNegative: 'control_is_negative',
  controlMayBeZero: 'control_may_be_zero',
  /** Too few in one arm, or too few with a conversion. */
  fewSessions: 'few_sessions',
  /** The sums of hours do not have it. */
  noSkewness: 'no_skewness',
} as const;

/** A mean over sessions with its t interval, and the interval that accounts for the sample's skewness. */
export function estimateMean(sample: ArmSample, alpha: number): MeanEstimate {
  const { count, mean, variance, skewness, conversions } = sample;
  if (mean === null) return noMean(REASONS.noSessions);
  if (variance === null) return { ...noMean(REASONS.oneSession), value: mean };
  const standardError = Math.sqrt(variance / count);
  const reach = studentQuantile(1 - alpha / 2, count - 1) * standardError;
  const adjusted = conversions < FEWEST_CONVERSIONS ? null : hallInterval(sample, alpha);
  const reason = variance === 0 ? REASONS.noVariance : REASONS.fewSessions;
  return {
    value: mean,
    standard_error: standardError,
    confidence_interval: { level: 1 - alpha, low: mean - reach, high: mean + reach },
    skewness,
    skewed: isMeanSkewed(sample, ORDER_SKEWNESS),
    adjusted_interval: adjusted,
    ...(adjusted === null || skewness === null ? { reason } : {}),
  };
}

/** A share of sessions with its Wilson interval (Wilson 1927, "Probable inference"). */
export function estimateShare({ successes, count }: Share, alpha: number): ShareEstimate {
  if (count === 0) return { ...nothing(REASONS.noSessions), skewed: false };
  const share = successes / count;
  return {
    value: share,
    standard_error: Math.sqrt((share * (1 - share)) / count),
    confidence_interval: wilson(successes, count, alpha),
    skewed: isMeanSkewed(sampleOfShare({ successes, count }), SHARE_SKEWNESS),
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
