import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateMean, estimateShare } from './arm-estimates.js';
import { meanEffect, shareEffect } from './effects.js';
import { type ArmSample, momentsOf } from './moments.js';
import { powerOf, requiredPerArm, requiredSample } from './power.js';
import { sampleRatio } from './sample-ratio.js';
import { sequentialInterval } from './sequential.js';
import { skewnessOf } from './skewness.js';

const PLAN = { alpha: 0.05, plannedSessions: 10_000, isPremature: false };
const EVEN = { control: 0.5, treatment: 0.5 };
const CENTS = 100;

const sumOf = (values: readonly bigint[], power: bigint): bigint =>
  values.reduce((sum, value) => sum + value ** power, 0n);

function sampleOfCents(amounts: readonly number[]): ArmSample {
  const cents = amounts.map((amount) => BigInt(Math.round(amount * CENTS)));
  const count = BigInt(cents.length);
  return {
    ...momentsOf(count, sumOf(cents, 1n), sumOf(cents, 2n), CENTS),
    skewness: skewnessOf(count, sumOf(cents, 1n), sumOf(cents, 2n), sumOf(cents, 3n)),
    conversions: cents.filter((amount) => amount !== 0n).length,
  };
}

const amounts = fc.array(fc.integer({ min: -50_000, max: 500_000 }), { minLength: 2, maxLength: 60 });
const ofCents = (values: readonly number[]): ArmSample => sampleOfCents(values.map((value) => value / CENTS));

// SciPy 1.x: stats.ttest_ind(equal_var=False), binomtest().proportion_ci('wilson'), stats.chisquare; the two-proportion
// values and sample sizes from their formulas with stats.norm.
describe('tests and intervals, against values computed elsewhere', () => {
  it('Welch for means', () => {
    const control = sampleOfCents([1.5, 2.25, 0, 7.75, 3.1, 0, 0, 12.4]);
    const treatment = sampleOfCents([2.5, 0, 9.1, 4.4, 0, 15.2, 8.8]);
    const effect = meanEffect({ control, treatment }, PLAN);
    expect(effect.absolute).toBeCloseTo(2.3392857142857144, 12);
    expect(effect.p_value).toBeCloseTo(0.3939945734733887, 9);
    expect(effect.confidence_interval?.low).toBeCloseTo(-3.4447370415815097, 7);
    expect(effect.confidence_interval?.high).toBeCloseTo(8.123308470152939, 7);
    expect(effect.method).toBe('welch_t');
  });

  it('unpooled two-proportion for conversion', () => {
    const effect = shareEffect({ successes: 100, count: 1_000 }, { successes: 130, count: 1_000 }, PLAN);
    expect(effect.absolute).toBeCloseTo(0.03, 12);
    expect(effect.standard_error).toBeCloseTo(0.014251315728731857, 12);
    expect(effect.p_value).toBeCloseTo(0.03528532025049282, 9);
    expect(effect.confidence_interval?.low).toBeCloseTo(0.0020679344393763656, 9);
    expect(effect.confidence_interval?.high).toBeCloseTo(0.057932065560623636, 9);
    // Delta method: 0.3 with sqrt(0.1131/1000/0.01 + 0.09/1000 × 0.0169/0.0001).
    expect(effect.relative.value).toBeCloseTo(0.3, 12);
    expect(effect.relative.standard_error).toBeCloseTo(Math.sqrt(0.01131 + 0.01521), 12);
  });

  it.each([
    [7, 50, 0.05, 0.06950833427016292, 0.26186193710585537],
    [0, 20, 0.1, 0, 0.11915783736096448],
    [20, 20, 0.05, 0.8388748419471808, 1],
  ])('Wilson for %d of %d', (successes, count, alpha, low, high) => {
    const interval = estimateShare({ successes, count }, alpha).confidence_interval;
    expect(interval?.low).toBeCloseTo(low, 9);
    expect(interval?.high).toBeCloseTo(high, 9);
  });

  it.each([
    [{ control: 5_100, treatment: 4_900 }, EVEN, 4, 0.04550026389635857, 'ok'],
    [{ control: 5_300, treatment: 4_700 }, EVEN, 36, 1.9731752900753933e-9, 'mismatch'],
    [
      { control: 60, treatment: 140 },
      { control: 0.2, treatment: 0.8 },
      12.5,
      0.00040695201744495946,
      'mismatch',
    ],
    [{ control: 60, treatment: 39 }, EVEN, 4.454545454545454, 0.034808478811867154, 'insufficient'],
  ])('Pearson chi-square of %o against %o', (observed, allocation, chiSquare, pValue, state) => {
    const ratio = sampleRatio(observed, allocation);
    expect(ratio.chi_square).toBeCloseTo(chiSquare, 9);
    expect(ratio.p_value).toBeCloseTo(pValue, 9);
    expect(ratio.state).toBe(state);
  });

  it.each([
    [0.1, 0.1, 0.05, 0.8, 14_749],
    [0.05, 0.2, 0.05, 0.8, 8_155],
    [0.02, 0.5, 0.01, 0.9, 7_247],
  ])('required sample for %d and %d', (baselineRate, effect, alpha, power, expected) => {
    const plan = { baselineRate, minimumDetectableEffect: effect, alpha, power };
    expect(requiredPerArm(plan).perArm).toBe(expected);
    expect(requiredSample(plan, 0.5, 1_000)).toEqual({
      required_sessions_per_arm: expected,
      total_sessions: 2 * expected,
      days: Math.ceil((2 * expected) / 1_000),
    });
    expect(requiredSample(plan, 0.2, null)).toMatchObject({ total_sessions: 5 * expected, days: null });
    expect(requiredSample(plan, 0.9, null)).toMatchObject({ total_sessions: 10 * expected });
    const observed = { control: expected, treatment: expected - 1 };
    expect(powerOf(plan, observed).state).toBe('underpowered');
    expect(powerOf(plan, { ...observed, treatment: expected }).state).toBe('adequate');
  });
});

describe('degenerate data gives null with a reason, never NaN', () => {
  const none = sampleOfCents([]);
  const one = sampleOfCents([5]);
  const alike = sampleOfCents([5, 5, 5]);

  it('no session, one session, no variance', () => {
    expect(estimateMean(none, 0.05)).toMatchObject({ value: null, reason: 'no_sessions' });
    expect(estimateMean(one, 0.05)).toEqual({
      value: 5,
      standard_error: null,
      confidence_interval: null,
      skewness: null,
      skewed: false,
      adjusted_interval: null,
      reason: 'one_session',
    });
    expect(estimateMean(alike, 0.05)).toMatchObject({
      value: 5,
      standard_error: 0,
      skewness: null,
      skewed: true,
      adjusted_interval: null,
      reason: 'no_variance',
    });
    expect(estimateShare({ successes: 0, count: 0 }, 0.05)).toMatchObject({
      value: null,
      reason: 'no_sessions',
    });
    expect(meanEffect({ control: none, treatment: alike }, PLAN)).toMatchObject({
      absolute: null,
      p_value: null,
      reason: 'no_sessions',
    });
    expect(meanEffect({ control: one, treatment: alike }, PLAN)).toMatchObject({
      absolute: 0,
      confidence_interval: null,
      reason: 'one_session',
    });
    expect(meanEffect({ control: alike, treatment: alike }, PLAN)).toMatchObject({
      absolute: 0,
      p_value: null,
      sequential: { low: null, high: null, reason: 'no_variance' },
      reason: 'no_variance',
    });
  });

  it('all converted, none converted', () => {
    const all = { successes: 50, count: 50 };
    expect(shareEffect(all, all, PLAN)).toMatchObject({ absolute: 0, p_value: null, reason: 'no_variance' });
    const effect = shareEffect({ successes: 0, count: 50 }, { successes: 5, count: 50 }, PLAN);
    expect(effect.relative).toMatchObject({ value: null, reason: 'control_is_zero' });
    expect(effect.p_value).toBeGreaterThan(0);
  });

  it('an effect that is too small, too large or of nothing', () => {
    const plan = { baselineRate: 0.1, minimumDetectableEffect: 1e-12, alpha: 0.05, power: 0.8 };
    expect(requiredPerArm(plan).perArm).toBeGreaterThan(1e24);
    expect(requiredPerArm({ ...plan, minimumDetectableEffect: 1e-300 })).toMatchObject({
      perArm: null,
      reason: 'effect_too_small',
    });
    expect(requiredPerArm({ ...plan, minimumDetectableEffect: 9.5 })).toMatchObject({
      perArm: null,
      reason: 'effect_beyond_all_sessions',
    });
    expect(requiredPerArm({ ...plan, baselineRate: 0 })).toMatchObject({
      perArm: null,
      reason: 'no_baseline',
    });
  });

  it('a sample or a duration beyond any number is null with the reason', () => {
    const plan = { baselineRate: 0.1, minimumDetectableEffect: 0.1, alpha: 0.05, power: 0.8 };
    const perArm = 14_749;
    expect(requiredSample(plan, 1e-310, 100)).toEqual({
      required_sessions_per_arm: perArm,
      total_sessions: null,
      days: null,
      reason: 'arm_too_small',
    });
    expect(requiredSample(plan, 0.5, 1e-310)).toEqual({
      required_sessions_per_arm: perArm,
      total_sessions: 2 * perArm,
      days: null,
      reason: 'too_few_daily_sessions',
    });
  });

  it.each([1e-8, 1 - 1e-16])('intervals of level 1 - %d have both bounds', (alpha) => {
    const samples = [
      estimateMean({ count: 2, mean: 2, variance: 3, skewness: 0, conversions: 2 }, alpha),
      estimateShare({ successes: 20, count: 100 }, alpha),
      shareEffect({ successes: 200, count: 1_000 }, { successes: 250, count: 1_000 }, { ...PLAN, alpha }),
    ];
    for (const { confidence_interval: interval } of samples) {
      expect([interval?.low, interval?.high].every(Number.isFinite)).toBe(true);
    }
  });

  it('an arm of weight zero has no expectation, and a session in it is a mismatch by itself', () => {
    const allocation = { control: 1, treatment: 0 };
    expect(sampleRatio({ control: 500, treatment: 0 }, allocation)).toMatchObject({
      state: 'ok',
      p_value: null,
      reason: 'one_arm',
    });
    expect(sampleRatio({ control: 500, treatment: 1 }, allocation)).toMatchObject({ state: 'mismatch' });
    expect(sampleRatio({ control: 0, treatment: 0 }, EVEN)).toMatchObject({ state: 'insufficient' });
  });

  it('whatever the sums: no NaN and no Infinity anywhere', () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeInteger(), { maxLength: 4 }), fc.array(fc.nat(9)), (left, right) => {
        const effect = meanEffect({ control: ofCents(left), treatment: ofCents(right) }, PLAN);
        const text = JSON.stringify(effect, (_, value: unknown) =>
          typeof value === 'number' && !Number.isFinite(value) ? 'not finite' : value,
        );
        expect(text).not.toContain('not finite');
      }),
    );
  });
});

describe('properties', () => {
  it('sums of squares as whole numbers keep the variance of large and alike amounts', () => {
    const large = momentsOf(3n, 3n * 10n ** 17n + 3n, 3n * 10n ** 34n + 6n * 10n ** 17n + 5n, 1);
    expect(large.variance).toBe(1);
  });

  it('swapping arms flips signs', () => {
    fc.assert(
      fc.property(amounts, amounts, (left, right) => {
        const [control, treatment] = [ofCents(left), ofCents(right)];
        const one = meanEffect({ control, treatment }, PLAN);
        const other = meanEffect({ control: treatment, treatment: control }, PLAN);
        if (one.p_value === null) return expect(other.p_value).toBeNull();
        expect(other.absolute).toBeCloseTo(-(one.absolute ?? 0), 9);
        expect(other.p_value).toBeCloseTo(one.p_value, 9);
        expect(other.confidence_interval?.low).toBeCloseTo(-(one.confidence_interval?.high ?? 0), 6);
      }),
    );
  });

  it('scaling money scales effects', () => {
    fc.assert(
      fc.property(amounts, amounts, fc.integer({ min: 2, max: 50 }), (left, right, factor) => {
        const scaled = (values: readonly number[]) => ofCents(values.map((value) => value * factor));
        const one = meanEffect({ control: ofCents(left), treatment: ofCents(right) }, PLAN);
        const other = meanEffect({ control: scaled(left), treatment: scaled(right) }, PLAN);
        expect((other.absolute ?? 0) / factor).toBeCloseTo(one.absolute ?? 0, 6);
        expect((other.standard_error ?? 0) / factor).toBeCloseTo(one.standard_error ?? 0, 6);
        if (one.p_value !== null) expect(other.p_value).toBeCloseTo(one.p_value, 9);
      }),
    );
  });

  it('adding a session with zero moves the mean of its own arm towards zero, and does not change the other', () => {
    fc.assert(
      fc.property(amounts, (values) => {
        const [before, after] = [ofCents(values), ofCents([...values, 0])];
        expect(Math.abs(after.mean ?? 0)).toBeLessThanOrEqual(Math.abs(before.mean ?? 0));
        expect(after.mean).toBeCloseTo(((before.mean ?? 0) * values.length) / (values.length + 1), 6);
      }),
    );
  });

  it('the always-valid interval is wider than the fixed one, and narrowest about where it was planned', () => {
    const widthAt = (sessions: number, planned: number): number => {
      const standing = { absolute: 0, standardError: 1 / Math.sqrt(sessions), sessions, isSettled: true };
      return (sequentialInterval(standing, 0.05, planned).high ?? 0) * Math.sqrt(sessions);
    };
    for (const planned of [500, 10_000, 1_000_000]) {
      const tuned = widthAt(planned, planned);
      expect(tuned).toBeGreaterThan(1.96);
      for (const other of [planned / 5, planned * 5]) expect(tuned).toBeLessThan(widthAt(planned, other));
    }
    const early = { absolute: 0, standardError: 1, sessions: 199, isSettled: true };
    expect(sequentialInterval(early, 0.05, null)).toMatchObject({
      low: null,
      high: null,
      reason: 'few_sessions',
    });
  });
});
