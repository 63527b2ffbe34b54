import type { Effect, SequentialInterval } from '@truetally/contracts/experiments';
import { type EffectPlan, meanEffect, shareEffect } from '../domain/statistics/effects.js';
import { plannedSessions } from '../domain/statistics/power.js';
import { sequentialInterval } from '../domain/statistics/sequential.js';
import { randomOf } from './random.js';
import { ALPHA, evenPlanOf, LOOK_EVERY, METRICS, planOf, type Scenario, Traffic } from './traffic.js';

/** Runs in which a test found a difference between identical arms. */
export interface FalseWinners {
  readonly scenario: Scenario;
  readonly runs: number;
  readonly sessions: number;
  /** Of the fixed test, evaluated at its end only. */
  readonly fixedAtEnd: number;
  /** Of the fixed test at any look: the false winners of stopping at the first significant look. */
  readonly fixedPeeking: number;
  /** Of the always-valid interval as it is reported. */
  readonly alwaysValid: number;
  /** The same without waiting for conversions, and with a plan that ignores the arms' shares. */
  readonly withoutBurnIn: number;
  /** The same with Agresti and Caffo's estimate instead of a burn-in; null for money. */
  readonly agrestiCaffo: number | null;
}

export const RATES = [0.08, 0.03, 0.02, 0.01, 0.005] as const;
export const CONTROL_SHARES = [0.5, 0.1, 0.05] as const;
/** Maximum share of runs with a false winner. */
export const MOST_FALSE_WINNERS = ALPHA;

const RUNS = 1_000;
const FEWEST_SESSIONS = 20_000;
/** The smaller arm gets so many, so that its first conversions are not the end of the simulation. */
const CONVERSIONS = 80;
const SEED = 20_260_131;

/** Experiments with identical arms, looked at after every tenth session. */
export function simulatePeeking(): readonly FalseWinners[] {
  return METRICS.flatMap((metric) =>
    RATES.flatMap((rate) =>
      CONTROL_SHARES.map((controlShare) => falseWinners({ metric, rate, controlShare, effect: 0 }, RUNS)),
    ),
  );
}

/** @param runs number of experiments */
export function falseWinners(scenario: Scenario, runs: number): FalseWinners {
  const { metric, rate, controlShare } = scenario;
  const sessions = Math.max(FEWEST_SESSIONS, Math.ceil(CONVERSIONS / rate / controlShare));
  const totals = { fixedAtEnd: 0, fixedPeeking: 0, alwaysValid: 0, withoutBurnIn: 0, agrestiCaffo: 0 };
  for (let run = 0; run < runs; run += 1) {
    const found = look(scenario, sessions, SEED + run);
    for (const [test, isFound] of Object.entries(found) as [keyof typeof totals, boolean][])
      totals[test] += Number(isFound);
  }
  const agrestiCaffo = metric === 'conversion' ? totals.agrestiCaffo : null;
  return { scenario, runs, sessions, ...totals, agrestiCaffo };
}

function look(scenario: Scenario, sessions: number, seed: number) {
  const traffic = new Traffic(scenario, randomOf(seed));
  const plan: EffectPlan = {
    alpha: ALPHA,
    plannedSessions: plannedSessions(planOf(scenario), {
      control: scenario.controlShare,
      treatment: 1 - scenario.controlShare,
    }),
    isPremature: true,
  };
  const evenPlan = evenPlanOf(scenario);
  const found = {
    fixedAtEnd: false,
    fixedPeeking: false,
    alwaysValid: false,
    withoutBurnIn: false,
    agrestiCaffo: false,
  };
  const isConversion = scenario.metric === 'conversion';
  for (let seen = LOOK_EVERY; seen <= sessions; seen += LOOK_EVERY) {
    traffic.arrive();
    const isAtEnd = seen + LOOK_EVERY > sessions;
    const z = squaredZ(traffic);
    const isCalled =
      isAtEnd ||
      (z > FIXED_SQUARED_Z && !found.fixedPeeking && seen >= FIRST_LOOK) ||
      (z > SQUARED_Z && !found.alwaysValid);
    if (isCalled) {
      const { p_value, sequential } = effectOf(scenario, traffic, plan);
      found.fixedAtEnd = isAtEnd && p_value !== null && p_value < ALPHA;
      found.fixedPeeking ||= p_value !== null && p_value < ALPHA;
      found.alwaysValid ||= excludesZero(sequential);
    }
    if (z > SQUARED_Z && !found.withoutBurnIn)
      found.withoutBurnIn = excludesZero(standingInterval(standingOf(traffic), seen, evenPlan));
    if (isConversion && z > AGRESTI_CAFFO_SQUARED_Z && !found.agrestiCaffo)
      found.agrestiCaffo = excludesZero(standingInterval(agrestiCaffoOf(traffic), seen, evenPlan));
  }
  return found;
}

const FIRST_LOOK = 200;
/** Closer to zero no fixed test finds a difference at 5 %, and no always-valid interval excludes zero. */
const FIXED_SQUARED_Z = 3.8;
const SQUARED_Z = 8;
/** The added conversions bring the estimate closer to zero. */
const AGRESTI_CAFFO_SQUARED_Z = 4;

export function effectOf(scenario: Scenario, { control, treatment }: Traffic, plan: EffectPlan): Effect {
  return scenario.metric === 'conversion'
    ? shareEffect(control.share, treatment.share, plan)
    : meanEffect({ control, treatment }, plan);
}

interface Standing {
  readonly absolute: number;
  readonly standardError: number;
}

function standingInterval(standing: Standing, sessions: number, planned: number | null): SequentialInterval {
  return sequentialInterval({ ...standing, sessions, isSettled: true }, ALPHA, planned);
}

function standingOf({ control, treatment }: Traffic): Standing {
  const variance = (control.variance ?? 0) / control.count + (treatment.variance ?? 0) / treatment.count;
  return { absolute: (treatment.mean ?? 0) - (control.mean ?? 0), standardError: Math.sqrt(variance) };
}

/** The squared distance to zero in standard errors: cheap, because it is asked at every look. */
function squaredZ({ control, treatment }: Traffic): number {
  const absolute = treatment.total / treatment.count - control.total / control.count;
  return absolute ** 2 / (control.varianceOfMean + treatment.varianceOfMean);
}

/** One success and one failure more in each arm (Agresti and Caffo, The American Statistician 54(4), 2000). */
function agrestiCaffoOf({ control, treatment }: Traffic): Standing {
  const share = (arm: Traffic['control']) => (arm.conversions + 1) / (arm.count + 2);
  const [less, more] = [share(control), share(treatment)];
  const variance = (less * (1 - less)) / (control.count + 2) + (more * (1 - more)) / (treatment.count + 2);
  return { absolute: more - less, standardError: Math.sqrt(variance) };
}

function excludesZero({ low, high }: SequentialInterval): boolean {
  return (low ?? 0) > 0 || (high ?? 0) < 0;
}
