import type { AdjustedInterval, Effect, RelativeEstimate } from '@truetally/contracts/experiments';
import { nothing, REASONS } from './arm-estimates.js';
import { normalQuantile, normalTwoSided, studentQuantile, studentTwoSided } from './distributions.js';
import { fiellerInterval } from './fieller.js';
import { conversionsIn, FEWEST_CONVERSIONS, isDifferenceSkewed, isMeanSkewed, isSettled } from './lean.js';
import { leanOf, ORDER_SKEWNESS, SHARE_SKEWNESS } from './lean.js';
import { type ArmSamples, sampleOfShare, type Share } from './moments.js';
import { noSequential, sequentialInterval } from './sequential.js';
import { hallBounds } from './skewness.js';

/** Parameters of an effect's test: its level, and the planned sample. */
export interface EffectPlan {
  readonly alpha: number;
  /** Of both arms; null without a plan. */
  readonly plannedSessions: number | null;
  readonly isPremature: boolean;
}

/**
 * The difference of two means by Welch's test, with the degrees of freedom of Welch and Satterthwaite (Welch 1947, "The
 * generalization of Student's problem").
 */
export function meanEffect(arms: ArmSamples, plan: EffectPlan): Effect {
  const compared = compare(arms, ORDER_SKEWNESS);
  if ('reason' in compared) return noEffect('welch_t', compared.reason, plan, compared.absolute);
  const df = welchDegrees(compared);
  const test = {
    method: 'welch_t',
    reach: studentQuantile(1 - plan.alpha / 2, df),
    pValue: studentTwoSided(compared.absolute / compared.standardError, df),
  } as const;
  return testedEffect(compared, test, plan);
}

/** The difference of two shares by the unpooled two-proportion z test. */
export function shareEffect(control: Share, treatment: Share, plan: EffectPlan): Effect {
  const method = 'unpooled_two_proportion_z';
  const arms = { control: sampleOfShare(control), treatment: sampleOfShare(treatment) };
  const compared = compare(arms, SHARE_SKEWNESS);
  if ('reason' in compared) return noEffect(method, compared.reason, plan, compared.absolute);
  const test = {
    method,
    reach: normalQuantile(1 - plan.alpha / 2),
    pValue: normalTwoSided(compared.absolute / compared.standardError),
  } as const;
  return testedEffect(compared, test, plan);
}

/** An effect that cannot be computed, or only its size. */
export function noEffect(
  method: Effect['method'],
  reason: string,
  { alpha, isPremature }: EffectPlan,
  absolute: number | null = null,
): Effect {
  return {
    absolute,
    relative: noRelative(reason),
    standard_error: null,
    confidence_interval: null,
    adjusted_interval: null,
    skewed: false,
    p_value: null,
    method,
    sequential: noSequential(alpha, reason),
    premature: isPremature,
    reason,
  };
}

/** Two arms whose difference has a variance. */
interface Comparison {
  readonly arms: ArmSamples;
  /** Of one order or conversion (docs of `ORDER_SKEWNESS`). */
  readonly valueSkewness: number;
  readonly absolute: number;
  readonly standardError: number;
  /** Of the mean of each arm. */
  readonly variances: { readonly control: number; readonly treatment: number };
}

function compare(
  arms: ArmSamples,
  valueSkewness: number,
): Comparison | { readonly reason: string; readonly absolute: number | null } {
  const { control, treatment } = arms;
  if (control.mean === null || treatment.mean === null) return { reason: REASONS.noSessions, absolute: null };
  const absolute = treatment.mean - control.mean;
  if (control.variance === null || treatment.variance === null)
    return { reason: REASONS.oneSession, absolute };
  const variances = {
    control: control.variance / control.count,
    treatment: treatment.variance / treatment.count,
  };
  const standardError = Math.sqrt(variances.control + variances.treatment);
  return standardError > 0
    ? { arms, valueSkewness, absolute, standardError, variances }
    : { reason: REASONS.noVariance, absolute };
}

function welchDegrees({ arms, variances: { control, treatment } }: Comparison): number {
  const total = (control + treatment) ** 2;
  return total / (control ** 2 / (arms.control.count - 1) + treatment ** 2 / (arms.treatment.count - 1));
}

interface Test {
  readonly method: Effect['method'];
  /** Standard errors from the estimate to the bounds of its interval. */
  readonly reach: number;
  readonly pValue: number;
}

function testedEffect(compared: Comparison, { method, reach, pValue }: Test, plan: EffectPlan): Effect {
  const { arms, valueSkewness, absolute, standardError } = compared;
  const adjusted = adjustedInterval(compared, reach, plan.alpha);
  return {
    absolute,
    relative: relativeEffect(compared, plan.alpha),
    standard_error: standardError,
    confidence_interval: {
      level: 1 - plan.alpha,
      low: absolute - reach * standardError,
      high: absolute + reach * standardError,
    },
    adjusted_interval: adjusted,
    skewed: isDifferenceSkewed(arms, valueSkewness),
    p_value: pValue,
    method,
    sequential: sequentialInterval(
      {
        absolute,
        standardError,
        sessions: arms.control.count + arms.treatment.count,
        isSettled: isSettled(arms, valueSkewness),
      },
      plan.alpha,
      plan.plannedSessions,
    ),
    premature: plan.isPremature,
    ...(adjusted === null ? { reason: unadjustedReason(arms) } : {}),
  };
}

function unadjustedReason(arms: ArmSamples): string {
  return conversionsIn(arms) < FEWEST_CONVERSIONS ? REASONS.fewSessions : REASONS.noSkewness;
}

/**
 * Hall's transformation for the difference of two means (Zhou and Dinh, "Nonparametric confidence intervals
 * for the one- and two-sample problems", Biostatistics 6(2), 2005). The bounds are never inside of those without it:
 * with arms of equal size the true lean is about zero, and its estimate would only add noise.
 */
function adjustedInterval(
  { arms, absolute, standardError }: Comparison,
  reach: number,
  alpha: number,
): AdjustedInterval | null {
  const lean = leanOf(arms);
  if (lean === null || conversionsIn(arms) < FEWEST_CONVERSIONS) return null;
  const hall = hallBounds(absolute, standardError, lean, reach, alpha);
  if (hall === null) return null;
  return {
    ...hall,
    low: Math.min(hall.low, absolute - reach * standardError),
    high: Math.max(hall.high, absolute + reach * standardError),
  };
}

/**
 * (treatment − control) / control by the delta method: its variance to the first order in both means. Beside it the interval
 * of Fieller, which holds for skewed means too. Relative to a loss or to nothing there is no effect: from −10 to −5 would be
 * "−50 %".
 */
function relativeEffect(compared: Comparison, alpha: number): RelativeEstimate {
  const { arms, valueSkewness, variances } = compared;
  const base = arms.control.mean ?? 0;
  const mean = arms.treatment.mean ?? 0;
  if (base < 0) return noRelative(REASONS.controlIsNegative);
  const value = (mean - base) / base;
  const standardError = Math.sqrt(
    variances.treatment / base ** 2 + (variances.control * mean ** 2) / base ** 4,
  );
  if (!Number.isFinite(value) || !Number.isFinite(standardError)) return noRelative(REASONS.controlIsZero);
  const reach = normalQuantile(1 - alpha / 2) * standardError;
  const hasConversions = conversionsIn(arms) >= FEWEST_CONVERSIONS;
  const adjusted = hasConversions ? fiellerInterval(arms, alpha) : null;
  const reason = hasConversions ? REASONS.controlMayBeZero : REASONS.fewSessions;
  return {
    value,
    standard_error: standardError,
    confidence_interval: { level: 1 - alpha, low: value - reach, high: value + reach },
    adjusted_interval: adjusted,
    skewed:
      adjusted === null ||
      isDifferenceSkewed(arms, valueSkewness) ||
      isMeanSkewed(arms.control, valueSkewness) ||
      Math.sqrt(variances.control) > LINEAR_ERROR * base,
    ...(adjusted === null ? { reason } : {}),
  };
}

/** Standard error of control's mean, relative to it: above it, a ratio is not linear in it any more. */
const LINEAR_ERROR = 0.08;

function noRelative(reason: string): RelativeEstimate {
  return { ...nothing(reason), adjusted_interval: null, skewed: false };
}
