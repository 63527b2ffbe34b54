import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateMean } from './arm-estimates.js';
import { studentQuantile } from './distributions.js';
import { shareEffect } from './effects.js';
import { fiellerInterval } from './fieller.js';
import { type ArmSample, momentsOf } from './moments.js';
import { hallInterval, skewnessOf, transformed } from './skewness.js';

const CENTS = 100;
const AMOUNTS = [150, 225, 0, 775, 310, 0, 0, 1_240];
const amounts = fc.array(fc.integer({ min: -50_000, max: 500_000 }), { minLength: 3, maxLength: 60 });

const sumOf = (values: readonly bigint[], power: bigint): bigint =>
  values.reduce((sum, value) => sum + value ** power, 0n);

/** @param conversions enough for an adjusted interval, unless the test is about them */
function sampleOf(cents: readonly number[], conversions = 10): ArmSample {
  const values = cents.map(BigInt);
  const [count, sum, squares, cubes] = [
    BigInt(values.length),
    sumOf(values, 1n),
    sumOf(values, 2n),
    sumOf(values, 3n),
  ] as const;
  return {
    ...momentsOf(count, sum, squares, CENTS),
    skewness: skewnessOf(count, sum, squares, cubes),
    conversions,
  };
}

describe('skewness, and intervals that mind it', () => {
  it('skewness and its interval equal values worked out elsewhere, with bounds by bisection', () => {
    const sample = sampleOf(AMOUNTS);
    expect(sample.skewness).toBeCloseTo(1.1923375240175202, 12);
    const estimate = estimateMean(sample, 0.05);
    expect(estimate.adjusted_interval).toMatchObject({ level: 0.95, method: 'hall' });
    expect(estimate.adjusted_interval?.low).toBeCloseTo(0.5321105177750534, 7);
    expect(estimate.adjusted_interval?.high).toBeCloseTo(17.959394160179826, 6);
  });

  it('the bounds of Hall are where the transformed statistic is as far as t reaches', () => {
    fc.assert(
      fc.property(amounts, fc.constantFrom(0.01, 0.05, 0.2), (cents, alpha) => {
        const sample = sampleOf(cents);
        const interval = hallInterval(sample, alpha);
        const { count, mean, variance, skewness } = sample;
        if (interval === null || skewness === null) return;
        const standardError = Math.sqrt((variance ?? 0) / count);
        const reach = studentQuantile(1 - alpha / 2, count - 1);
        const at = (bound: number): number =>
          transformed(((mean ?? 0) - bound) / standardError, skewness / Math.sqrt(count));
        expect(at(interval.low) / reach).toBeCloseTo(1, 5);
        expect(at(interval.high) / reach).toBeCloseTo(-1, 5);
      }),
    );
  });

  it('an interval without skewness is that of t; a long right tail of revenue moves it to the right', () => {
    const even = sampleOf([-300, -100, 0, 100, 300]);
    const estimate = estimateMean(even, 0.05);
    expect(estimate.skewness).toBe(0);
    expect(estimate.adjusted_interval).toMatchObject({ ...estimate.confidence_interval });
    const { confidence_interval: plain, adjusted_interval: adjusted } = estimateMean(sampleOf(AMOUNTS), 0.05);
    expect(adjusted?.low).toBeGreaterThan(plain?.low ?? Infinity);
    expect(adjusted?.high).toBeGreaterThan(plain?.high ?? Infinity);
  });

  it('scaling money changes no skewness, and turning it around turns the sign', () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 2, max: 50 }), (cents, factor) => {
        const { skewness } = sampleOf(cents);
        const scaled = sampleOf(cents.map((value) => value * factor)).skewness;
        const turned = sampleOf(cents.map((value) => -value)).skewness;
        if (skewness === null) return expect([scaled, turned]).toEqual([null, null]);
        expect(scaled).toBeCloseTo(skewness, 9);
        expect(turned).toBeCloseTo(-skewness, 9);
      }),
    );
  });

  it.each([
    ['two sessions', [100, 300], 'few_sessions'],
    ['no variance', [500, 500, 500], 'no_variance'],
  ])('%s have none, and no adjusted interval', (_, cents, reason) => {
    expect(estimateMean(sampleOf(cents), 0.05)).toMatchObject({
      skewness: null,
      skewed: true,
      adjusted_interval: null,
      reason,
    });
  });

  it('sums of cubes as whole numbers keep the skewness of large and alike amounts', () => {
    const large = [10n ** 17n, 10n ** 17n, 10n ** 17n + 3n];
    const of = (power: bigint): bigint => sumOf(large, power);
    expect(skewnessOf(3n, of(1n), of(2n), of(3n))).toBeCloseTo(Math.SQRT1_2, 12);
  });
});

describe('relative effects by Fieller’s theorem', () => {
  it('a relative interval by Fieller equals bounds found by bisection of the inequality', () => {
    const effect = shareEffect(
      { successes: 100, count: 1_000 },
      { successes: 130, count: 1_000 },
      { alpha: 0.05, plannedSessions: null, isPremature: false },
    );
    expect(effect.relative.adjusted_interval).toMatchObject({ level: 0.95, method: 'fieller' });
    expect(effect.relative.adjusted_interval?.low).toBeCloseTo(0.01839137522633716, 9);
    expect(effect.relative.adjusted_interval?.high).toBeCloseTo(0.6747178380557586, 9);
  });

  const even = { count: 100, skewness: 0, conversions: 100 };
  const meanOf = (mean: number, variance: number): ArmSample => ({ ...even, mean, variance: variance * 100 });

  it('a relative interval by Fieller is null where control may be zero: any ratio is possible then', () => {
    const treatment = meanOf(5, 1);
    expect(fiellerInterval({ control: meanOf(1.9, 1), treatment }, 0.05)).toBeNull();
    expect(fiellerInterval({ control: meanOf(2.1, 1), treatment }, 0.05)).not.toBeNull();
  });

  it('holds no difference exactly when Welch’s interval by the normal distribution does', () => {
    const mean = fc.double({ min: 3, max: 90, noNaN: true });
    fc.assert(
      fc.property(mean, mean, (control, treatment) => {
        const arms = { control: meanOf(control, 0.5), treatment: meanOf(treatment, 0.5) };
        const interval = fiellerInterval(arms, 0.05);
        const distance = Math.abs(treatment - control) / 1.959963984540054;
        if (Math.abs(distance - 1) < 1e-9) return;
        expect(interval !== null && interval.low <= 0 && interval.high >= 0).toBe(distance < 1);
      }),
    );
  });
});
