import type { SequentialInterval } from '@truetally/contracts/experiments';
import { REASONS } from './arm-estimates.js';

/** The estimate as it stands now. */
export interface StandingEffect {
  readonly absolute: number;
  readonly standardError: number;
  /** Of both arms together. */
  readonly sessions: number;
}

/**
 * An interval that covers the true effect at all times at once with probability 1 − alpha, so that one may look and stop
 * whenever one likes: the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
 * ("Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 52(6), 2024, theorem
 * 2.2), Robbins' normal mixture with the variance estimated.
 *
 * Its one setting says when it is narrowest: at the planned sample, where there is a plan. It is asymptotic, so that
 * nothing is said below `BURN_IN_SESSIONS`.
 */
export function sequentialInterval(
  { absolute, standardError, sessions }: StandingEffect,
  alpha: number,
  plannedSessions: number | null,
): SequentialInterval {
  if (sessions < BURN_IN_SESSIONS) return noSequential(alpha, REASONS.fewSessions);
  const scaled = sessions * mixtureVariance(alpha, plannedSessions ?? UNPLANNED_SESSIONS);
  const widening = Math.sqrt(((2 * (scaled + 1)) / scaled) * Math.log(Math.sqrt(scaled + 1) / alpha));
  const reach = widening * standardError;
  return { level: 1 - alpha, low: absolute - reach, high: absolute + reach };
}

export function noSequential(alpha: number, reason: string): SequentialInterval {
  return { level: 1 - alpha, low: null, high: null, reason };
}

/** Before that a skewed mean is far from normal; the simulations of docs/experiments/simulations.md begin there. */
export const BURN_IN_SESSIONS = 200;
/** A plan as most have it. */
const UNPLANNED_SESSIONS = 10_000;

/** ρ² that makes the interval narrowest at `sessions` (the same paper, appendix B.2). */
function mixtureVariance(alpha: number, sessions: number): number {
  const narrow = -2 * Math.log(alpha);
  const planned = Math.min(Math.max(sessions, BURN_IN_SESSIONS), MAX_PLANNED_SESSIONS);
  return (narrow + Math.log(narrow + 1)) / planned;
}

/** A plan beyond that is none: the interval would be endlessly wide at every sample that can be had. */
const MAX_PLANNED_SESSIONS = 1e9;
