import type { Effect } from '@truetally/contracts/experiments';
import { type EffectPlan, meanEffect, shareEffect } from '../domain/statistics/effects.js';
import { BURN_IN_SESSIONS } from '../domain/statistics/sequential.js';
import { converts, type Draw, randomOf, buys, Sample } from './random.js';

export interface Rejections {
  readonly metric: string;
  readonly runs: number;
  /** Of the fixed test, evaluated at its end only. */
  readonly fixedAtEnd: number;
  /** Of the fixed test at any look: the false winners of stopping at the first significant look. */
  readonly fixedPeeking: number;
  readonly sequentialPeeking: number;
}

const RUNS = 2_000;
const SESSIONS = 8_000;
/** Sessions between two looks. */
const LOOK_EVERY = 10;
const ALPHA = 0.05;
const RATE = 0.08;
const PLAN: EffectPlan = { alpha: ALPHA, plannedSessions: SESSIONS, isPremature: true };

/** Experiments with identical arms: every difference found is false. */
export function simulatePeeking(): readonly Rejections[] {
  return [
    simulate('conversion', converts(RATE), 20_260_131, (control, treatment) =>
      shareEffect(sharesOf(control), sharesOf(treatment), PLAN),
    ),
    simulate('revenue per session (skewed)', buys(RATE), 20_260_201, (control, treatment) =>
      meanEffect({ control, treatment }, PLAN),
    ),
  ];
}

function simulate(
  metric: string,
  draw: Draw,
  seed: number,
  effectOf: (control: Sample, treatment: Sample) => Effect,
): Rejections {
  const totals = { fixedAtEnd: 0, fixedPeeking: 0, sequentialPeeking: 0 };
  for (let run = 0; run < RUNS; run += 1) {
    const random = randomOf(seed + run);
    const [control, treatment] = [new Sample(), new Sample()];
    const found = { fixed: false, sequential: false, atEnd: false };
    for (let session = 1; session <= SESSIONS; session += 1) {
      (random() < 0.5 ? control : treatment).add(draw(random));
      if (session < BURN_IN_SESSIONS || session % LOOK_EVERY !== 0) continue;
      const { p_value, sequential } = effectOf(control, treatment);
      found.atEnd = p_value !== null && p_value < ALPHA;
      found.fixed ||= found.atEnd;
      found.sequential ||= (sequential.low ?? 0) > 0 || (sequential.high ?? 0) < 0;
    }
    totals.fixedAtEnd += Number(found.atEnd);
    totals.fixedPeeking += Number(found.fixed);
    totals.sequentialPeeking += Number(found.sequential);
  }
  return { metric, runs: RUNS, ...totals };
}

function sharesOf({ count, mean }: Sample): { readonly successes: number; readonly count: number } {
  return { count, successes: Math.round(mean * count) };
}
