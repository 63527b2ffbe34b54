import type { Interval } from '@truetally/contracts/experiments';
import { estimateMean, estimateShare } from '../domain/statistics/arm-estimates.js';
import { type EffectPlan, meanEffect, shareEffect } from '../domain/statistics/effects.js';
import { buys, converts, type Draw, meanOfBuying, randomOf, Sample } from './random.js';

export interface Coverage {
  readonly interval: string;
  readonly sessionsPerArm: number;
  readonly runs: number;
  /** How many of the intervals held what they estimate. */
  readonly covered: number;
}

const RUNS = 4_000;
const SIZES = [500, 5_000];
const ALPHA = 0.05;
const [CONTROL_RATE, TREATMENT_RATE] = [0.08, 0.1];
const PLAN: EffectPlan = { alpha: ALPHA, plannedSessions: null, isPremature: true };

/** How often each interval holds the true value, at 95 %. */
export function simulateCoverage(): readonly Coverage[] {
  return SIZES.flatMap((size) => [...ofShares(size), ...ofMeans(size)]);
}

function ofShares(size: number): readonly Coverage[] {
  const truth = TREATMENT_RATE - CONTROL_RATE;
  const counts = { wilson: 0, difference: 0, relative: 0 };
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
  }
  return [
    coverage('Wilson, a share of 8 %', size, counts.wilson),
    coverage('unpooled difference of shares', size, counts.difference),
    coverage('relative difference of shares (delta)', size, counts.relative),
  ];
}

function ofMeans(size: number): readonly Coverage[] {
  const [base, raised] = [meanOfBuying(CONTROL_RATE), meanOfBuying(TREATMENT_RATE)];
  const counts = { mean: 0, welch: 0, relative: 0, sequential: 0 };
  for (let run = 0; run < RUNS; run += 1) {
    const random = randomOf(SEED + 1_000_000 + run + size);
    const control = sampleOf(size, buys(CONTROL_RATE), random);
    const treatment = sampleOf(size, buys(TREATMENT_RATE), random);
    const effect = meanEffect({ control, treatment }, PLAN);
    counts.mean += holds(estimateMean(control, ALPHA).confidence_interval, base);
    counts.welch += holds(effect.confidence_interval, raised - base);
    counts.relative += holds(effect.relative.confidence_interval, (raised - base) / base);
    const { low, high } = effect.sequential;
    counts.sequential +=
      low !== null && high !== null && low <= raised - base && raised - base <= high ? 1 : 0;
  }
  return [
    coverage('t, mean of skewed revenue', size, counts.mean),
    coverage('Welch, difference of skewed revenue', size, counts.welch),
    coverage('relative difference of skewed revenue (delta)', size, counts.relative),
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

function coverage(interval: string, sessionsPerArm: number, covered: number): Coverage {
  return { interval, sessionsPerArm, runs: RUNS, covered };
}
