import type { ArmCounts, PowerResults, RequiredSample } from '@truetally/contracts/experiments';
import { normalQuantile } from './distributions.js';

/** The parameters of a planned sample. */
export interface SamplePlan {
  /** Expected conversion rate of control, 0–1. */
  readonly baselineRate: number;
  /** Relative, above 0. */
  readonly minimumDetectableEffect: number;
  readonly alpha: number;
  readonly power: number;
}

export interface PlannedSample {
  /** Null with a reason when there is none. */
  readonly perArm: number | null;
  readonly reason?: string;
}

/**
 * Sessions of each arm with which a two-sided unpooled test finds the effect with the wanted power: (z(1 − α/2) + z(power))²
 * × (p₁(1 − p₁) + p₂(1 − p₂)) / (p₂ − p₁)², rounded up (Fleiss, Levin and Paik, "Statistical methods for rates and
 * proportions", section 4.2, without the continuity correction).
 */
export function requiredPerArm(plan: SamplePlan): PlannedSample {
  const { baselineRate: base, minimumDetectableEffect: effect, alpha, power } = plan;
  const raised = base * (1 + effect);
  if (base === 0) return { perArm: null, reason: 'no_baseline' };
  if (raised > 1) return { perArm: null, reason: 'effect_beyond_all_sessions' };
  const z = normalQuantile(1 - alpha / 2) + normalQuantile(power);
  const perArm = Math.ceil((z ** 2 * (base * (1 - base) + raised * (1 - raised))) / (base * effect) ** 2);
  if (!Number.isFinite(perArm)) return { perArm: null, reason: 'effect_too_small' };
  return { perArm: Math.max(perArm, SMALLEST_SAMPLE) };
}

/** With fewer, no variance can be estimated. */
const SMALLEST_SAMPLE = 2;

/**
 * The sample and its duration, by the same formula: each arm needs the same number, and the smaller one takes
 * longest.
 */
export function requiredSample(
  plan: SamplePlan,
  controlShare: number,
  dailySessions: number | null,
): RequiredSample {
  const { perArm, reason } = requiredPerArm(plan);
  const nothing = { required_sessions_per_arm: perArm, total_sessions: null, days: null };
  if (perArm === null) return { ...nothing, ...(reason === undefined ? {} : { reason }) };
  const total = totalOf(perArm, controlShare);
  if (!Number.isFinite(total)) return { ...nothing, reason: 'arm_too_small' };
  const days = dailySessions === null ? null : Math.ceil(total / dailySessions);
  const sized = { ...nothing, total_sessions: total };
  return days === Infinity ? { ...sized, reason: 'too_few_daily_sessions' } : { ...sized, days };
}

/** Sessions of both arms at which the smaller one has `perArm`. @returns Infinity if an arm gets none */
function totalOf(perArm: number, controlShare: number): number {
  const total = perArm / Math.min(controlShare, 1 - controlShare);
  return Math.ceil(Number(total.toPrecision(KEPT_DIGITS)));
}

/** What is behind them is the double's: 1 − 0.9 is a little less than 0.1, and 8 of it would be 81. */
const KEPT_DIGITS = 14;

/** The planned sample of both arms together; null without a plan, and if an arm gets no sessions. */
export function plannedSessions(plan: SamplePlan, { control }: ArmCounts): number | null {
  const { perArm } = requiredPerArm(plan);
  const total = perArm === null ? Infinity : totalOf(perArm, control);
  return Number.isFinite(total) ? total : null;
}

/** The progress of an experiment towards its planned sample. */
export function powerOf(plan: SamplePlan, observed: ArmCounts): PowerResults {
  const { perArm, reason } = requiredPerArm(plan);
  const isAdequate = perArm !== null && observed.control >= perArm && observed.treatment >= perArm;
  return {
    state: isAdequate ? 'adequate' : 'underpowered',
    minimum_detectable_effect: plan.minimumDetectableEffect,
    required_sessions_per_arm: perArm,
    observed_sessions_per_arm: observed,
    ...(reason === undefined ? {} : { reason }),
  };
}
