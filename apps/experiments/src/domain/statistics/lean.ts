import type { ArmSample, ArmSamples } from './moments.js';

/**
 * How far an estimate is from a normal distribution: its *lean*, the skewness of the estimate itself. That of
 * a mean is the skewness of one session over the root of their number. The skews of two equally large arms
 * cancel in their difference; with a small arm, they do not (docs/experiments/simulations.md).
 */

/**
 * Conversions (or buying sessions) that each arm must have. With fewer, an arm's variance is badly estimated:
 * an arm without any seems to be known exactly.
 */
export const FEWEST_CONVERSIONS = 10;

/**
 * E[X³] ÷ E[X²]^1.5 of usual order values: that of a lognormal distribution with σ = 0.9. A small sample
 * rarely contains the large orders that it should be judged by, so that its own skewness is too small.
 */
export const ORDER_SKEWNESS = Math.exp(1.5 * 0.9 ** 2);
/** That of a conversion, which is always one. */
export const SHARE_SKEWNESS = 1;

/**
 * The lean above which a symmetric 95 % interval may cover less than 93 %. In the Edgeworth expansion of the
 * coverage of a mean it costs 0.25 × lean² (Hall, "The Bootstrap and Edgeworth Expansion", 1992, section 2.6):
 * 1 % at this limit.
 */
const SKEWED_LEAN = 0.2;

/** The lean above which an always-valid interval finds too many false winners. */
const SEQUENTIAL_LEAN = 0.4;

/** Whether the symmetric interval of one mean may be too narrow. */
export function isMeanSkewed({ count, skewness, conversions }: ArmSample, valueSkewness: number): boolean {
  const measured = Math.abs(skewness ?? 0) / Math.sqrt(count);
  const presumed = valueSkewness / Math.sqrt(conversions);
  return conversions < FEWEST_CONVERSIONS || measured > SKEWED_LEAN || presumed > SKEWED_LEAN;
}

/** Whether the symmetric interval of the difference of two means may be too narrow. */
export function isDifferenceSkewed(arms: ArmSamples, valueSkewness: number): boolean {
  return (
    conversionsIn(arms) < FEWEST_CONVERSIONS ||
    Math.abs(leanOf(arms) ?? 0) > SKEWED_LEAN ||
    presumedLean(arms, valueSkewness) > SKEWED_LEAN
  );
}

/** Whether the difference of two means is close enough to normal for an always-valid interval. */
export function isSettled(arms: ArmSamples, valueSkewness: number): boolean {
  return conversionsIn(arms) >= FEWEST_CONVERSIONS && presumedLean(arms, valueSkewness) <= SEQUENTIAL_LEAN;
}

/**
 * The conversions of the arm that has fewer: those that it has, and not more than it would have at the rate of
 * both arms together. Otherwise an arm would pass a limit the sooner, the more its rate is overestimated.
 */
export function conversionsIn({ control, treatment }: ArmSamples): number {
  const pooled = (control.conversions + treatment.conversions) / (control.count + treatment.count);
  const counted = ({ count, conversions }: ArmSample): number => Math.min(conversions, count * pooled);
  return Math.min(counted(control), counted(treatment));
}

/** The lean of treatment − ratio × control; null where an arm's skewness is unknown. */
export function leanOf({ control, treatment }: ArmSamples, ratio = 1): number | null {
  const [less, more] = [cumulantsOf(control), cumulantsOf(treatment)];
  if (less === null || more === null) return null;
  return (more.third - ratio ** 3 * less.third) / (more.second + ratio ** 2 * less.second) ** 1.5;
}

/** Variance and third central moment of an arm's mean. */
function cumulantsOf({ count, variance, skewness }: ArmSample): { second: number; third: number } | null {
  if (variance === null || skewness === null) return null;
  return { second: variance / count, third: (skewness * variance ** 1.5) / count ** 2 };
}

/**
 * The lean to be expected of so many conversions in arms of these sizes: at their own rates, or at the rate of
 * both together, whichever is larger.
 */
function presumedLean({ control, treatment }: ArmSamples, valueSkewness: number): number {
  const pooled = (control.conversions + treatment.conversions) / (control.count + treatment.count);
  const leanAt = (controlRate: number, treatmentRate: number): number => {
    const third = treatmentRate / treatment.count ** 2 - controlRate / control.count ** 2;
    const second = treatmentRate / treatment.count + controlRate / control.count;
    return Math.abs(third) / second ** 1.5;
  };
  const own = leanAt(control.conversions / control.count, treatment.conversions / treatment.count);
  return valueSkewness * Math.max(own, leanAt(pooled, pooled));
}
