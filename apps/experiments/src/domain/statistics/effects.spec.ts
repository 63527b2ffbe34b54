import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { normalQuantile } from './distributions.js';
import { type EffectPlan, meanEffect, shareEffect } from './effects.js';
import { fiellerInterval } from './fieller.js';
import { leanOf } from './lean.js';
import { type ArmSample, type ArmSamples, sampleOfShare } from './moments.js';
import { hallBounds, transformed } from './skewness.js';

const PLAN: EffectPlan = { alpha: 0.05, plannedSessions: 10_000, isPremature: false };
const Z = normalQuantile(0.975);

const share = (successes: number, count: number) => ({ successes, count });
const sample = (given: Partial<ArmSample>): ArmSample => ({
  count: 1_000,
  mean: 2,
  variance: 100,
  skewness: 8,
  conversions: 50,
  ...given,
});
const sizes = fc.integer({ min: 500, max: 50_000 });
const arm = fc
  .record({
    count: sizes,
    mean: fc.double({ min: 1, max: 5, noNaN: true }),
    variance: fc.double({ min: 10, max: 200, noNaN: true }),
    skewness: fc.double({ min: 0, max: 12, noNaN: true }),
  })
  .map((given) => ({ ...given, conversions: given.count / 25 }));

describe('an arm without its conversions', () => {
  it('an arm without its conversions has no always-valid interval, however many sessions there are', () => {
    // An arm without a conversion has no variance: the plain errors are those of the other arm alone.
    const effect = shareEffect(share(0, 72), share(27, 1_498), PLAN);
    expect(effect.sequential).toMatchObject({ low: null, high: null, reason: 'few_sessions' });
    expect(effect).toMatchObject({ adjusted_interval: null, skewed: true, reason: 'few_sessions' });
    expect(effect.absolute).toBeCloseTo(27 / 1_498, 12);
  });

  it.each([
    [9, null],
    [10, undefined],
  ])('an arm with %d conversions beside many has the lower bound %p', (conversions, low) => {
    for (const effect of [
      shareEffect(share(conversions, 1_000), share(50, 1_000), PLAN),
      shareEffect(share(50, 1_000), share(conversions, 1_000), PLAN),
      meanEffect({ control: sample({ conversions }), treatment: sample({}) }, PLAN),
    ]) {
      if (low === null) expect(effect).toMatchObject({ sequential: { low }, reason: 'few_sessions' });
      else expect([effect.sequential.low, effect.reason]).toEqual([expect.any(Number), undefined]);
    }
  });

  it('an arm in which nearly all sessions convert has too few that do not', () => {
    const { sequential, skewed } = shareEffect(share(995, 1_000), share(950, 1_000), PLAN);
    expect([sequential.low, skewed]).toEqual([null, true]);
  });
});

describe('the adjusted interval of a difference', () => {
  it('the adjusted interval of a difference is never inside of the plain one, but as wide as Hall’s', () => {
    fc.assert(
      fc.property(arm, arm, (control, treatment) => {
        const arms = { control, treatment };
        const { absolute, standard_error, adjusted_interval, confidence_interval } = meanEffect(arms, PLAN);
        if (adjusted_interval === null || confidence_interval === null) throw new Error('no interval');
        const reach = (confidence_interval.high - (absolute ?? 0)) / (standard_error ?? 0);
        const hall = hallBounds(absolute ?? 0, standard_error ?? 0, leanOf(arms) ?? 0, reach, 0.05);
        expect(adjusted_interval.method).toBe('hall');
        expect(adjusted_interval.level).toBe(0.95);
        expect(adjusted_interval.low).toBeCloseTo(Math.min(confidence_interval.low, hall?.low ?? 0), 9);
        expect(adjusted_interval.high).toBeCloseTo(Math.max(confidence_interval.high, hall?.high ?? 0), 9);
      }),
    );
  });

  it('reaches towards what a small skewed arm has not yet shown', () => {
    // The mean of the small arm is rather too small than too large.
    const small = sample({ count: 500, skewness: 12 });
    const large = sample({ count: 9_500, conversions: 950 });
    const low = meanEffect({ control: small, treatment: large }, PLAN);
    expect(low.adjusted_interval?.low).toBeLessThan(low.confidence_interval?.low ?? NaN);
    expect(low.adjusted_interval?.high).toBe(low.confidence_interval?.high);
    const high = meanEffect({ control: large, treatment: small }, PLAN);
    expect(high.adjusted_interval?.high).toBeGreaterThan(high.confidence_interval?.high ?? NaN);
    expect(high.adjusted_interval?.low).toBe(high.confidence_interval?.low);
  });

  it('the adjusted interval of a difference is missing, with its reason, where no skewness is known', () => {
    const arms = { control: sample({ skewness: null }), treatment: sample({}) };
    expect(meanEffect(arms, PLAN)).toMatchObject({ adjusted_interval: null, reason: 'no_skewness' });
  });
});

describe('an effect relative to control', () => {
  const contributions = (control: number, treatment: number): ArmSamples => ({
    control: sample({ mean: control, variance: 1 }),
    treatment: sample({ mean: treatment, variance: 1 }),
  });

  it.each([
    [-10, -5, 'control_is_negative'],
    [-10, 5, 'control_is_negative'],
    [0, 5, 'control_is_zero'],
    [0, 0, 'control_is_zero'],
  ])('the relative effect from %d to %d is null', (control, treatment, reason) => {
    const { absolute, relative } = meanEffect(contributions(control, treatment), PLAN);
    expect(absolute).toBe(treatment - control);
    expect(relative).toEqual({
      value: null,
      standard_error: null,
      confidence_interval: null,
      adjusted_interval: null,
      skewed: false,
      reason,
    });
  });

  it('a relative effect has the sign of the difference', () => {
    const positive = fc.double({ min: 0.01, max: 100, noNaN: true });
    const any = fc.double({ min: -100, max: 100, noNaN: true });
    fc.assert(
      fc.property(positive, any, (control, treatment) => {
        const { absolute, relative } = meanEffect(contributions(control, treatment), PLAN);
        expect(Math.sign(relative.value ?? NaN)).toBe(Math.sign(absolute ?? NaN));
      }),
    );
  });

  it('a relative effect to a control that may be zero has no adjusted interval, and is called skewed', () => {
    const { relative } = meanEffect(contributions(0.05, 0.2), PLAN);
    expect(relative.value).toBeCloseTo(3, 9);
    expect(relative).toMatchObject({ skewed: true, adjusted_interval: null, reason: 'control_may_be_zero' });
  });

  it('a relative effect is skewed where the mean of control is uncertain, even if the difference is not', () => {
    // The standard error of a mean of n conversions is 1 / √n of it.
    const early = shareEffect(share(150, 10_000), share(150, 10_000), PLAN);
    expect([early.skewed, early.relative.skewed]).toEqual([false, true]);
    const later = shareEffect(share(160, 10_000), share(160, 10_000), PLAN);
    expect([later.skewed, later.relative.skewed]).toEqual([false, false]);
  });

  it('a relative effect is skewed by few conversions of either arm', () => {
    const treatment = shareEffect(share(900, 9_000), share(20, 200), PLAN);
    expect([treatment.skewed, treatment.relative.skewed]).toEqual([true, true]);
    const orders = (conversions: number, variance: number) =>
      sample({ conversions, count: 9_000, variance, skewness: 0 });
    const sure = meanEffect({ control: orders(290, 1), treatment: orders(290, 1) }, PLAN);
    const few = meanEffect({ control: orders(280, 1), treatment: orders(280, 1) }, PLAN);
    expect([sure.relative.skewed, few.skewed, few.relative.skewed]).toEqual([false, false, true]);
  });

  it('a relative effect without conversions has a reason for its missing interval', () => {
    const { relative } = shareEffect(share(5, 1_000), share(50, 1_000), PLAN);
    expect(relative).toMatchObject({ skewed: true, adjusted_interval: null, reason: 'few_sessions' });
    expect(relative.value).toBeCloseTo(9, 9);
  });
});

describe('the interval by Fieller’s theorem and Hall’s transformation', () => {
  it('ends where both say that the ratio is not possible, and has all between', () => {
    fc.assert(
      fc.property(arm, arm, (control, treatment) => {
        const arms = { control, treatment };
        const interval = fiellerInterval(arms, 0.05);
        if (interval === null) return;
        const isPossible = (ratio: number): boolean => {
          const variance =
            treatment.variance / treatment.count + (ratio ** 2 * control.variance) / control.count;
          const t = (treatment.mean - ratio * control.mean) / Math.sqrt(variance);
          return Math.abs(t) <= Z || Math.abs(transformed(t, leanOf(arms, ratio) ?? 0)) <= Z;
        };
        const [low, high] = [interval.low + 1, interval.high + 1];
        const margin = (high - low) / 1e6;
        expect([isPossible(low + margin), isPossible(high - margin)]).toEqual([true, true]);
        expect([isPossible(low - margin), isPossible(high + margin)]).toEqual([false, false]);
      }),
      { numRuns: 300 },
    );
  });

  it('the interval by Fieller and Hall is null where skew leaves no upper bound', () => {
    const control = sample({ count: 20, mean: 2, variance: 16, skewness: 0 });
    const treatment = sample({ mean: 2, variance: 1, skewness: 0 });
    expect(fiellerInterval({ control, treatment }, 0.05)).not.toBeNull();
    expect(fiellerInterval({ control: { ...control, skewness: -10 }, treatment }, 0.05)).toBeNull();
  });

  it('the interval by Fieller and Hall has no width where nothing varies', () => {
    const fixed = sample({ variance: 0 });
    expect(fiellerInterval({ control: fixed, treatment: fixed }, 0.05)).toMatchObject({ low: 0, high: 0 });
  });

  it('the interval by Fieller and Hall is Fieller’s where neither arm has skewness', () => {
    const control = { ...sampleOfShare(share(100, 1_000)), skewness: 0 };
    const treatment = { ...sampleOfShare(share(130, 1_000)), skewness: 0 };
    const interval = fiellerInterval({ control, treatment }, 0.05);
    expect(interval?.low).toBeCloseTo(0.01839137522633716, 6);
    expect(interval?.high).toBeCloseTo(0.6747178380557586, 6);
  });
});
