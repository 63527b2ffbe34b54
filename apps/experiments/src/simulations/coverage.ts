import type { Interval } from '@truetally/contracts/experiments';
import { estimateMean, estimateShare } from '../domain/statistics/arm-estimates.js';
import { type EffectPlan, meanEffect, shareEffect } from '../domain/statistics/effects.js';
import { buys, converts, type Draw, meanOfBuying, randomOf, Sample } from './random.js';

export interface Coverage {
  readonly interval: string;
  readonly sessionsPerArm: number;
  /** Runs with such an interval. */
  readonly runs: number;
  /** Number of intervals that contained the true value. */
  readonly covered: number;
}

const RUNS = 4_000;
const SIZES = [200, 500, 1_000, 5_000];
const ALPHA = 0.05;
const [CONTROL_RATE, TREATMENT_RATE] = [0.08, 0.1];
const PLAN: EffectPlan = { alpha: ALPHA, plannedSessions: null, isPremature: true };

/** Coverage of each interval, at 95 %. */
export function simulateCoverage(): readonly Coverage[] {
  return SIZES.flatMap((size) => [...ofShares(size), ...ofMeans(size)]);
}

function ofShares(size: number): readonly Coverage[] {
  const truth = TREATMENT_RATE - CONTROL_RATE;
  const counts = { wilson: 0, difference: 0, relative: 0, fieller: 0, bounded: 0 };
  for (let run = 0; run < RUNS; run += 1) {
    const random = randomOf(SEED + run + size);
    const control = sampleOf(size, converts(CONTROL_RATE), random);
    const treatment = sampleOf(size, converts(TREATMENT_RATE), random);
    const share = ({ count, mean }: Sample) => ({ count, successes: Math.round(mean * count) });
    const effect = shareEffect(share(control), share(treatment), PLAN);
    const { successes, count } = share(control);
    counts.wilson += holds(estimateShare(successes, count, ALPHA).confidence_interval, CONTROL_RATE);
    counts.difference += holds(effect.confidence_interval, truth);
    counts.relative += holds(effect.relative.confidence_interval, truth / CONTROL_RATE);
    counts.fieller += holds(effect.relative.adjusted_interval, truth / CONTROL_RATE);
    counts.bounded += effect.relative.adjusted_interval === null ? 0 : 1;
  }
  return [
    coverage('Wilson, a share of 8 %', size, counts.wilson),
    coverage('unpooled difference of shares', size, counts.difference),
    coverage('relative difference of shares (delta)', size, counts.relative),
    coverage('relative difference of shares, adjusted (Fieller)', size, counts.fieller, counts.bounded),
  ];
}

function ofMeans(size: number): readonly Coverage[] {
  const [base, raised] = [meanOfBuying(CONTROL_RATE), meanOfBuying(TREATMENT_RATE)];
  const counts = {
    mean: 0,
    hall: 0,
    welch: 0,
    relative: 0,
    fieller: 0,
    bounded: 0,
    sequential: 0,
    skewed: 0,
  };
  for (let run = 0; run < RUNS; run += 1) {
    const random = randomOf(SEED + 1_000_000 + run + size);
    const control = sampleOf(size, buys(CONTROL_RATE), random);
    const treatment = sampleOf(size, buys(TREATMENT_RATE), random);
    const effect = meanEffect({ control, treatment }, PLAN);
    const mean = estimateMean(control, control.skewness, ALPHA);
    counts.mean += holds(mean.confidence_interval, base);
    counts.hall += holds(mean.adjusted_interval, base);
    counts.skewed += mean.skewed ? 1 : 0;
    counts.welch += holds(effect.confidence_interval, raised - base);
    counts.relative += holds(effect.relative.confidence_interval, (raised - base) / base);
    counts.fieller += holds(effect.relative.adjusted_interval, (raised - base) / base);
    counts.bounded += effect.relative.adjusted_interval === null ? 0 : 1;
    const { low, high } = effect.sequential;
    counts.sequential +=
      low !== null && high !== null && low <= raised - base && raised - base <= high ? 1 : 0;
  }
  return [
    coverage('t, mean of skewed revenue', size, counts.mean),
    coverage('— of these were called `skewed`', size, counts.skewed),
    coverage('mean of skewed revenue, adjusted (Hall)', size, counts.hall),
    coverage('Welch, difference of skewed revenue', size, counts.welch),
    coverage('relative difference of skewed revenue (delta)', size, counts.relative),
    coverage(
      'relative difference of skewed revenue, adjusted (Fieller)',
      size,
      counts.fieller,
      counts.bounded,
    ),
    coverage('always-valid, difference of skewed revenue', size, counts.sequential),
  ];
}

const SEED = 20_260_301;

function sampleOf(size: number, draw: Draw, random: () => number): Sample {
  const sample = new Sample();
  for (let session = 0; session < size; session += 1) sample.add(draw(random));
  return sample;
}

function holds(interval: Interval | null, truth: number): number {
  return interval !== null && interval.low <= truth && truth <= interval.high ? 1 : 0;
}

function coverage(interval: string, sessionsPerArm: number, covered: number, runs = RUNS): Coverage {
  return { interval, sessionsPerArm, runs, covered };
}
