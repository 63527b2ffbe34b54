import type { Effect, RelativeEstimate } from '@truetally/contracts/experiments';
import { nothing, REASONS } from './arm-estimates.js';
import { normalQuantile, normalTwoSided, studentQuantile, studentTwoSided } from './distributions.js';
import { fiellerInterval } from './fieller.js';
import type { Moments } from './moments.js';
import { noSequential, sequentialInterval } from './sequential.js';

/** Parameters of an effect's test: its level, and the planned sample. */
export interface EffectPlan {
  readonly alpha: number;
  /** Null without a plan. */
  readonly plannedSessions: number | null;
  readonly isPremature: boolean;
}

interface Arms {
  readonly control: Moments;
  readonly treatment: Moments;
}

/**
 * The difference of two means by Welch's test, with the degrees of freedom of Welch and Satterthwaite (Welch 1947, "The
 * generalization of Student's problem").
 */
export function meanEffect(arms: Arms, plan: EffectPlan): Effect {
  const compared = compare(arms);
  if ('reason' in compared) return noEffect('welch_t', compared.reason, plan, compared.absolute);
  const { absolute, standardError, variances } = compared;
  const df = welchDegrees(variances, arms);
  const reach = studentQuantile(1 - plan.alpha / 2, df) * standardError;
  return {
    absolute,
    relative: relativeEffect(arms, variances, plan.alpha),
    standard_error: standardError,
    confidence_interval: { level: 1 - plan.alpha, low: absolute - reach, high: absolute + reach },
    p_value: studentTwoSided(absolute / standardError, df),
    method: 'welch_t',
    sequential: sequentialInterval(
      { absolute, standardError, sessions: sessionsOf(arms) },
      plan.alpha,
      plan.plannedSessions,
    ),
    premature: plan.isPremature,
  };
}

/** The difference of two shares by the unpooled two-proportion z test. */
export function shareEffect(
  control: { readonly successes: number; readonly count: number },
  treatment: { readonly successes: number; readonly count: number },
  plan: EffectPlan,
): Effect {
  const arms = { control: momentsOfShare(control), treatment: momentsOfShare(treatment) };
  const compared = compare(arms);
  const method = 'unpooled_two_proportion_z';
  if ('reason' in compared) return noEffect(method, compared.reason, plan, compared.absolute);
  const { absolute, standardError, variances } = compared;
  const reach = normalQuantile(1 - plan.alpha / 2) * standardError;
  return {
    absolute,
    relative: relativeEffect(arms, variances, plan.alpha),
    standard_error: standardError,
    confidence_interval: { level: 1 - plan.alpha, low: absolute - reach, high: absolute + reach },
    p_value: normalTwoSided(absolute / standardError),
    method,
    sequential: sequentialInterval(
      { absolute, standardError, sessions: sessionsOf(arms) },
      plan.alpha,
      plan.plannedSessions,
    ),
    premature: plan.isPremature,
  };
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
    p_value: null,
    method,
    sequential: noSequential(alpha, reason),
    premature: isPremature,
    reason,
  };
}

/** Of the mean of each arm. */
interface Variances {
  readonly control: number;
  readonly treatment: number;
}

type Compared =
  | { readonly absolute: number; readonly standardError: number; readonly variances: Variances }
  | { readonly reason: string; readonly absolute: number | null };

function compare({ control, treatment }: Arms): Compared {
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
    ? { absolute, standardError, variances }
    : { reason: REASONS.noVariance, absolute };
}

function welchDegrees({ control, treatment }: Variances, arms: Arms): number {
  const total = (control + treatment) ** 2;
  return total / (control ** 2 / (arms.control.count - 1) + treatment ** 2 / (arms.treatment.count - 1));
}

/** Of a sample of ones and zeros, as the unpooled test takes it: p(1 − p), not corrected by n − 1. */
function momentsOfShare({
  successes,
  count,
}: {
  readonly successes: number;
  readonly count: number;
}): Moments {
  if (count === 0) return { count, mean: null, variance: null };
  const share = successes / count;
  return { count, mean: share, variance: count === 1 ? null : share * (1 - share) };
}

/**
 * (treatment − control) / control by the delta method: its variance to the first order in both means. Beside it the interval
 * of Fieller, which holds for skewed means too.
 */
function relativeEffect({ control, treatment }: Arms, variances: Variances, alpha: number): RelativeEstimate {
  const base = control.mean ?? 0;
  const mean = treatment.mean ?? 0;
  if (base === 0) return noRelative(REASONS.controlIsZero);
  const value = (mean - base) / base;
  const standardError = Math.sqrt(
    variances.treatment / base ** 2 + (variances.control * mean ** 2) / base ** 4,
  );
  if (!Number.isFinite(value) || !Number.isFinite(standardError)) return noRelative(REASONS.controlIsZero);
  const reach = normalQuantile(1 - alpha / 2) * standardError;
  return {
    value,
    standard_error: standardError,
    confidence_interval: { level: 1 - alpha, low: value - reach, high: value + reach },
    adjusted_interval: fiellerInterval(
      { mean: base, variance: variances.control },
      { mean, variance: variances.treatment },
      alpha,
    ),
  };
}

function noRelative(reason: string): RelativeEstimate {
  return { ...nothing(reason), adjusted_interval: null };
}

function sessionsOf({ control, treatment }: Arms): number {
  return control.count + treatment.count;
}
