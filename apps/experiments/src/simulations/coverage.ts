import type { Interval } from '@truetally/contracts/experiments';
import { estimateMean, estimateShare } from '../domain/statistics/arm-estimates.js';
import { plannedSessions } from '../domain/statistics/power.js';
import { CONTROL_SHARES, effectOf } from './peeking.js';
import { randomOf } from './random.js';
import { ALPHA, LOOK_EVERY, METRICS, planOf, type Scenario, Traffic, truthOf } from './traffic.js';

/** The reported intervals: of control's mean, of the difference, and of the relative difference. */
export const INTERVALS = [
  'mean',
  'meanAdjusted',
  'difference',
  'differenceAdjusted',
  'relative',
  'relativeAdjusted',
  'alwaysValid',
] as const;
export type IntervalName = (typeof INTERVALS)[number];

export interface Coverage {
  readonly scenario: Scenario;
  readonly sessions: number;
  readonly runs: number;
  readonly intervals: Readonly<Record<IntervalName, Tally>>;
}

export interface Tally {
  /** Runs with the interval, and without a warning beside it. */
  shown: number;
  /** Of these, the runs in which it contained the true value. */
  covered: number;
}

/** Minimum coverage of intervals at 95 % that are shown without a warning. */
export const LEAST_COVERAGE = 0.93;

const RUNS = 4_000;
const RATES = [0.08, 0.02, 0.005];
const SIZES = [2_000, 5_000, 20_000, 100_000];
const EFFECT = 0.2;
const SEED = 20_260_301;

/** Coverage of each interval, at 95 %. */
export function simulateCoverage(): readonly Coverage[] {
  return METRICS.flatMap((metric) =>
    RATES.flatMap((rate) =>
      CONTROL_SHARES.flatMap((controlShare) =>
        coverage({ metric, rate, controlShare, effect: EFFECT }, SIZES, RUNS),
      ),
    ),
  );
}

/** @param sizes sessions of both arms, ascending */
export function coverage(scenario: Scenario, sizes: readonly number[], runs: number): readonly Coverage[] {
  const totals = sizes.map((sessions) => ({ scenario, sessions, runs, intervals: noTallies() }));
  for (let run = 0; run < runs; run += 1) {
    const traffic = new Traffic(scenario, randomOf(SEED + run));
    let seen = 0;
    for (const { sessions, intervals } of totals) {
      for (; seen < sessions; seen += LOOK_EVERY) traffic.arrive();
      count(intervals, scenario, traffic);
    }
  }
  return totals;
}

/**
 * Whether an interval misses the truth too often. Runs without a warning are a selection: those whose small arm
 * has converted often. A rare selection cannot cover, so that it counts by its share of all runs.
 */
export function isTooNarrow({ shown, covered }: Tally, runs: number, least = LEAST_COVERAGE): boolean {
  const missed = shown - covered;
  return missed > (1 - least) * (shown < runs / 2 ? runs : shown);
}

function noTallies(): Record<IntervalName, Tally> {
  const tally = (): Tally => ({ shown: 0, covered: 0 });
  return {
    mean: tally(),
    meanAdjusted: tally(),
    difference: tally(),
    differenceAdjusted: tally(),
    relative: tally(),
    relativeAdjusted: tally(),
    alwaysValid: tally(),
  };
}

function count(tallies: Record<IntervalName, Tally>, scenario: Scenario, traffic: Traffic): void {
  const truth = truthOf(scenario);
  const difference = truth.treatment - truth.control;
  const effect = effectOf(scenario, traffic, {
    alpha: ALPHA,
    plannedSessions: plannedSessions(planOf(scenario), {
      control: scenario.controlShare,
      treatment: 1 - scenario.controlShare,
    }),
    isPremature: true,
  });
  const { relative, sequential } = effect;
  if (scenario.metric === 'conversion') {
    const share = estimateShare(traffic.control.share, ALPHA);
    tally(tallies.mean, share.skewed ? null : share.confidence_interval, truth.control);
  } else {
    const mean = estimateMean(traffic.control, ALPHA);
    tally(tallies.mean, mean.skewed ? null : mean.confidence_interval, truth.control);
    tally(tallies.meanAdjusted, mean.adjusted_interval, truth.control);
  }
  tally(tallies.difference, effect.skewed ? null : effect.confidence_interval, difference);
  tally(tallies.differenceAdjusted, effect.adjusted_interval, difference);
  tally(tallies.relative, relative.skewed ? null : relative.confidence_interval, scenario.effect);
  tally(tallies.relativeAdjusted, relative.adjusted_interval, scenario.effect);
  const { level, low, high } = sequential;
  tally(tallies.alwaysValid, low === null || high === null ? null : { level, low, high }, difference);
}

function tally(into: Tally, interval: Interval | null, truth: number): void {
  if (interval === null) return;
  into.shown += 1;
  into.covered += interval.low <= truth && truth <= interval.high ? 1 : 0;
}
