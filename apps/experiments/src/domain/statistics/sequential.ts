import type { SequentialInterval } from '@truetally/contracts/experiments';
import { REASONS } from './arm-estimates.js';

/** The current estimate. */
export interface StandingEffect {
  readonly absolute: number;
  readonly standardError: number;
  /** Of both arms together. */
  readonly sessions: number;
  /** Each arm has enough conversions, and the estimate leans little (`isSettled`). */
  readonly isSettled: boolean;
}

/**
 * An interval that covers the true effect at all times simultaneously with probability 1 − alpha, so that one
 * may look and stop at any time: the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy
 * and Ramdas ("Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics
 * 52(6), 2024, theorem 2.2), Robbins' normal mixture with the variance estimated.
 *
 * Its one parameter sets where it is narrowest: at the planned sample, if there is one. It is asymptotic, so
 * that there is none below `BURN_IN_SESSIONS`, nor before the estimate is settled.
 */
export function sequentialInterval(
  { absolute, standardError, sessions, isSettled }: StandingEffect,
  alpha: number,
  plannedSessions: number | null,
): SequentialInterval {
  if (sessions < BURN_IN_SESSIONS || !isSettled) return noSequential(alpha, REASONS.fewSessions);
  const scaled = sessions * mixtureVariance(alpha, plannedSessions ?? UNPLANNED_SESSIONS);
  const widening = Math.sqrt(((2 * (scaled + 1)) / scaled) * Math.log(Math.sqrt(scaled + 1) / alpha));
  const reach = widening * standardError;
  return { level: 1 - alpha, low: absolute - reach, high: absolute + reach };
}

export function noSequential(alpha: number, reason: string): SequentialInterval {
  return { level: 1 - alpha, low: null, high: null, reason };
}

/** Of both arms. Before that the variance is not yet a good estimate, however many convert. */
const BURN_IN_SESSIONS = 200;
/** A usual plan. */
const UNPLANNED_SESSIONS = 10_000;

/** ρ² that makes the interval narrowest at `sessions` (the same paper, appendix B.2). */
function mixtureVariance(alpha: number, sessions: number): number {
  const narrow = -2 * Math.log(alpha);
  const planned = Math.min(Math.max(sessions, BURN_IN_SESSIONS), MAX_PLANNED_SESSIONS);
  return (narrow + Math.log(narrow + 1)) / planned;
}

/** A larger plan is ignored: the interval would be extremely wide at every realistic sample. */
const MAX_PLANNED_SESSIONS = 1e9;
