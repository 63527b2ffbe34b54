import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  conversionsIn,
  FEWEST_CONVERSIONS,
  isDifferenceSkewed,
  isMeanSkewed,
  isSettled,
  leanOf,
  ORDER_SKEWNESS,
  SHARE_SKEWNESS,
} from './lean.js';
import { type ArmSamples, sampleOfShare } from './moments.js';

const share = (successes: number, count: number) => sampleOfShare({ successes, count });
const arms = (control: readonly [number, number], treatment: readonly [number, number]): ArmSamples => ({
  control: share(...control),
  treatment: share(...treatment),
});
const counts = fc.record({
  successes: fc.integer({ min: 1, max: 400 }),
  rest: fc.integer({ min: 500, max: 9_000 }),
});

describe('the conversions of an arm', () => {
  it('the conversions counted for an arm do not exceed those at the rate of both arms together', () => {
    // Both together convert 1 %: 1,000 sessions of control have 10, whatever luck they had.
    expect(conversionsIn(arms([30, 1_000], [170, 19_000]))).toBeCloseTo(10, 9);
    expect(conversionsIn(arms([4, 1_000], [196, 19_000]))).toBe(4);
    expect(conversionsIn(arms([196, 19_000], [4, 1_000]))).toBe(4);
  });

  it('the conversions counted for an arm are those of the rarer outcome', () => {
    expect([share(3, 10).conversions, share(7, 10).conversions, share(10, 10).conversions]).toEqual([
      3, 3, 0,
    ]);
  });
});

describe('the lean of a difference', () => {
  it('the lean of a difference is the skewness of the one mean that varies', () => {
    const { control, treatment } = arms([50, 1_000], [50, 1_000]);
    const fixed = { ...treatment, variance: 0 };
    const lean = (control.skewness ?? 0) / Math.sqrt(1_000);
    expect(leanOf({ control: fixed, treatment: control })).toBeCloseTo(lean, 12);
    expect(leanOf({ control, treatment: fixed })).toBeCloseTo(-lean, 12);
    expect(leanOf({ control, treatment: fixed }, 3)).toBeCloseTo(-lean, 12);
  });

  it('the lean of a difference equals a value worked out by hand', () => {
    // Mean 0.1, variance 0.09, third moment 0.072, over 100 and 1,000 sessions.
    const expected = (0.072 / 1_000 ** 2 - 0.072 / 100 ** 2) / (0.09 / 1_000 + 0.09 / 100) ** 1.5;
    expect(leanOf(arms([10, 100], [100, 1_000]))).toBeCloseTo(expected, 12);
  });

  it('the lean of a difference of equal arms is zero, and swapping arms turns its sign', () => {
    expect(leanOf(arms([20, 1_000], [20, 1_000]))).toBe(0);
    fc.assert(
      fc.property(counts, counts, (one, other) => {
        const [left, right] = [one, other].map(({ successes, rest }) => share(successes, successes + rest));
        if (left === undefined || right === undefined) return;
        const lean = leanOf({ control: left, treatment: right }) ?? NaN;
        expect(leanOf({ control: right, treatment: left })).toBeCloseTo(-lean, 12);
      }),
    );
  });

  it('the lean of a difference is unknown without the skewness of an arm', () => {
    const { control, treatment } = arms([20, 1_000], [30, 1_000]);
    expect(leanOf({ control: { ...control, skewness: null }, treatment })).toBeNull();
    expect(leanOf({ control, treatment: { ...treatment, skewness: null } })).toBeNull();
    expect(leanOf({ control, treatment: { ...treatment, variance: null } })).toBeNull();
  });
});

describe('the interval of a mean is called skewed', () => {
  const sample = (conversions: number, skewness: number | null, count = 10_000) => ({
    count,
    mean: 1,
    variance: 1,
    skewness,
    conversions,
  });

  it('a mean is called skewed below 25 sessions for each squared skewness', () => {
    const of = (count: number, skewness: number) =>
      isMeanSkewed(sample(1_000, skewness, count), ORDER_SKEWNESS);
    expect([of(2_499, 10), of(2_501, 10), of(2_499, -10), of(1_000, 0)]).toEqual([true, false, true, false]);
  });

  it('a mean is called skewed below 25 conversions, or 284 usual orders, however even the sample is', () => {
    const of = (conversions: number, value: number) => isMeanSkewed(sample(conversions, null), value);
    expect([of(24, SHARE_SKEWNESS), of(25, SHARE_SKEWNESS)]).toEqual([true, false]);
    expect([of(283, ORDER_SKEWNESS), of(285, ORDER_SKEWNESS)]).toEqual([true, false]);
  });

  it('a mean is called skewed below ten conversions of whatever value', () => {
    expect([isMeanSkewed(sample(9, 0), 0.1), isMeanSkewed(sample(10, 0), 0.1)]).toEqual([true, false]);
  });
});

describe('the interval of a difference', () => {
  it('a difference between equal arms is neither skewed nor unsettled from ten conversions each on', () => {
    const few = arms([9, 1_000], [9, 1_000]);
    const enough = arms([10, 1_000], [10, 1_000]);
    expect(FEWEST_CONVERSIONS).toBe(10);
    for (const value of [SHARE_SKEWNESS, ORDER_SKEWNESS]) {
      expect([isDifferenceSkewed(few, value), isSettled(few, value)]).toEqual([true, false]);
      expect([isDifferenceSkewed(enough, value), isSettled(enough, value)]).toEqual([false, true]);
    }
  });

  it('a difference with a small arm needs almost as many orders in it as the mean of this arm alone', () => {
    const held = (conversions: number) =>
      arms([conversions, conversions * 100], [conversions * 99, conversions * 9_900]);
    // The other arm adds to the variance, but hardly to the skew: 284 and 71 orders, less 3 %.
    expect([
      isDifferenceSkewed(held(270), ORDER_SKEWNESS),
      isDifferenceSkewed(held(280), ORDER_SKEWNESS),
    ]).toEqual([true, false]);
    expect([isSettled(held(67), ORDER_SKEWNESS), isSettled(held(70), ORDER_SKEWNESS)]).toEqual([false, true]);
  });

  it('a difference is skewed by the sample itself, too', () => {
    const { control, treatment } = arms([500, 10_000], [500, 10_000]);
    expect(isDifferenceSkewed({ control: { ...control, skewness: 80 }, treatment }, ORDER_SKEWNESS)).toBe(
      true,
    );
    expect(isDifferenceSkewed({ control, treatment: { ...treatment, skewness: 80 } }, ORDER_SKEWNESS)).toBe(
      true,
    );
  });

  it('presumes the larger lean of the arms’ own rates and of the rate of both', () => {
    // The small arm converts ten times as often as the other: at its own rate it would need fewer.
    const lucky = arms([40, 1_000], [76, 19_000]);
    const unlucky = arms([14, 1_000], [1_000, 19_000]);
    expect(isDifferenceSkewed(lucky, SHARE_SKEWNESS)).toBe(true);
    expect(isDifferenceSkewed(unlucky, SHARE_SKEWNESS)).toBe(true);
  });
});
