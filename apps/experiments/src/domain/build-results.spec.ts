import { describe, expect, it } from '@jest/globals';
import type { ExperimentResource } from '@truetally/contracts/experiments';
import { EMPTY_SUMS, type Sums } from './account.js';
import { buildResults, type ResultsBasis } from './build-results.js';
import { buildSeries, type HourSums, MAX_POINTS, pointsOf } from './build-series.js';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-01-31T09:30:00.000Z');
const EXPERIMENT: ExperimentResource = {
  id: 'e1',
  created_at: '2026-01-30T00:00:00.000Z',
  updated_at: '2026-01-30T00:00:00.000Z',
  version: 1,
  workspace_id: 'w1',
  site_id: 's1',
  name: 'Experiment',
  hypothesis: null,
  surface: 'overlay',
  campaign_ids: ['c1'],
  eligibility: { providers: [], partner_ids: [] },
  traffic: 1,
  allocation: { control: 0.5, treatment: 0.5 },
  primary_metric: 'conversion',
  alpha: 0.05,
  power: 0.8,
  minimum_detectable_effect: 0.5,
  baseline_rate: 0.1,
  attribution_window_days: 7,
  exclusions: { sessions_per_network: null },
  state: 'running',
  salt: 'ab',
  started_at: new Date(START_MS).toISOString(),
  stopped_at: null,
};
const sums = (given: Partial<Sums>): Sums => ({ ...EMPTY_SUMS, ...given });
const CONTROL = sums({
  sessions: 1_000n,
  converted_sessions: 100n,
  revenue: 500_000n,
  revenue_squares: 3_000_000_000n,
  gross_profit: 200_000n,
  gross_profit_squares: 500_000_000n,
  contribution: 150_000n,
  contribution_squares: 300_000_000n,
  counted_orders: 110n,
  exact_orders: 55n,
  ruled_orders: 40n,
  late_orders: 3n,
  other_currency_orders: 2n,
  refunds: 4n,
  refund_amount: 1_250n,
});
const TREATMENT = sums({
  ...CONTROL,
  converted_sessions: 150n,
  revenue: 700_000n,
  exact_orders: 110n,
  late_orders: 5n,
  refunds: 0n,
  refund_amount: 0n,
});

function results(given: Partial<ResultsBasis> = {}) {
  return buildResults({
    experiment: EXPERIMENT,
    currency: 'EUR',
    arms: { control: CONTROL, treatment: TREATMENT },
    parts: [],
    otherCurrencies: [],
    exclusions: { changes: [], isPending: false },
    sample: [],
    ...given,
  });
}

describe('the results of an experiment', () => {
  it('results have each arm’s sessions, and its amounts by session in major units', () => {
    const { control, treatment } = results().arms;
    expect([control.eligible_sessions, control.converted_sessions]).toEqual([1_000, 100]);
    expect([control.conversion.value, treatment.conversion.value]).toEqual([0.1, 0.15]);
    expect([control.revenue_per_session.value, treatment.revenue_per_session.value]).toEqual([5, 7]);
    expect(control.gross_profit_per_session).toMatchObject({ value: 2, coverage: 0.5 });
    expect(control.partner_contribution_per_session).toMatchObject({ value: 1.5, coverage: 0.5 });
    expect(treatment.gross_profit_per_session.coverage).toBe(1);
    expect(results({ currency: 'JPY' }).arms.control.revenue_per_session.value).toBe(500);
  });

  it('results have the effect of each metric on its own amounts', () => {
    const { effects } = results();
    expect(effects.conversion.absolute).toBeCloseTo(0.05);
    expect(effects.revenue_per_session.absolute).toBeCloseTo(2);
    expect(effects.gross_profit_per_session.absolute).toBeCloseTo(0);
    expect(effects.partner_contribution_per_session.absolute).toBeCloseTo(0);
  });

  it('count both arms in totals', () => {
    const whole = results({ otherCurrencies: [{ currency: 'USD', orders: 4 }] });
    expect(whole.late_conversions).toEqual({ state: 'present', count: 8, share: 8 / (8 + 220 + 4) });
    expect(whole.refunds).toEqual({ state: 'present', count: 4, amount: 12.5 });
    expect(whole.cancellations).toEqual({ state: 'none', count: 0, amount: 0 });
    expect(whole.other_currencies).toEqual({ count: 4, currencies: [{ currency: 'USD', orders: 4 }] });
    expect(whole.power.observed_sessions_per_arm).toEqual({ control: 1_000, treatment: 1_000 });
    expect(whole.window).toEqual({ from: EXPERIMENT.started_at, to: null });
  });

  it('results without sessions have no share, no coverage and no estimate, with reasons', () => {
    const nobody = results({ arms: { control: EMPTY_SUMS, treatment: EMPTY_SUMS } });
    expect(nobody.late_conversions).toEqual({ state: 'none', count: 0, share: null, reason: 'no_orders' });
    expect(nobody.arms.control.gross_profit_per_session).toMatchObject({
      value: null,
      coverage: null,
      reason: 'no_sessions',
    });
    expect(nobody.effects.conversion).toMatchObject({ absolute: null, reason: 'no_sessions' });
  });

  it('say nothing of a contribution that no rule decided', () => {
    const unruled = { control: sums({ ...CONTROL, unruled_orders: 1n }), treatment: TREATMENT };
    const { arms, effects } = results({ arms: unruled });
    expect(arms.control.partner_contribution_per_session).toMatchObject({
      value: null,
      reason: 'no_commission_rule',
    });
    expect(arms.treatment.partner_contribution_per_session.value).toBe(1.5);
    expect(effects.partner_contribution_per_session).toMatchObject({
      absolute: null,
      reason: 'no_commission_rule',
    });
    expect(effects.gross_profit_per_session.absolute).not.toBeNull();
    const none = sums({ ...CONTROL, ruled_orders: 0n });
    const without = results({ arms: { control: none, treatment: none } });
    expect(without.arms.treatment.partner_contribution_per_session.reason).toBe('no_commission_rule');
    const half = results({ arms: { control: none, treatment: TREATMENT } });
    expect(half.arms.control.partner_contribution_per_session.value).toBe(1.5);
  });

  it('plan for the sample at which the smaller arm has its sessions', () => {
    const widthOf = (control: number): number => {
      const experiment = { ...EXPERIMENT, allocation: { control, treatment: 1 - control } };
      const { low, high } = results({ experiment }).effects.conversion.sequential;
      return (high ?? NaN) - (low ?? NaN);
    };
    // 686 sessions of each arm: the nearer to these 2,000 that the plan is, the narrower is the interval.
    expect(widthOf(0.35)).toBeLessThan(widthOf(0.5));
    expect(widthOf(0.35)).toBeLessThan(widthOf(0.05));
    expect(widthOf(0.05)).toBeCloseTo(widthOf(0.95), 12);
  });

  it('count the sessions that bought with an amount', () => {
    const adjusted = (given: Partial<Sums>) => {
      const { control } = results({
        arms: { control: sums({ ...CONTROL, ...given }), treatment: TREATMENT },
      }).arms;
      return [control.revenue_per_session, control.gross_profit_per_session].map(
        ({ adjusted_interval }) => adjusted_interval !== null,
      );
    };
    expect(adjusted({})).toEqual([true, true]);
    expect(adjusted({ exact_orders: 9n })).toEqual([true, false]);
    expect(adjusted({ counted_orders: 9n })).toEqual([false, true]);
    expect(adjusted({ converted_sessions: 9n })).toEqual([false, false]);
  });

  it('break the sample down by day, provider and device, each with its own test', () => {
    const observed = { control: 60, treatment: 40 };
    const parts = (['day', 'provider', 'device'] as const).map((dimension) => ({
      dimension,
      value: `of ${dimension}`,
      observed,
    }));
    const { breakdown } = results({ parts }).sample_ratio;
    expect(breakdown.day).toMatchObject([{ value: 'of day', observed, state: 'ok' }]);
    expect(breakdown.provider).toMatchObject([{ value: 'of provider', observed }]);
    expect(breakdown.device).toMatchObject([{ value: 'of device', observed }]);
    const [alone] = results({ parts: parts.slice(0, 1) }).sample_ratio.breakdown.day;
    const corrected = breakdown.day[0]?.always_valid_p_value ?? NaN;
    expect(corrected).toBeCloseTo(Math.min(1, 3 * (alone?.always_valid_p_value ?? NaN)), 12);
  });
});

describe('the series of an experiment', () => {
  const hour = (hours: number, variant: HourSums['variant'], given: Partial<Sums>): HourSums => ({
    hourMs: Date.parse('2026-01-31T09:00:00.000Z') + hours * HOUR_MS,
    variant,
    sums: sums(given),
  });
  const series = (hours: readonly HourSums[], untilMs: number, interval: 'hour' | 'day' = 'hour') =>
    buildSeries(EXPERIMENT, 'EUR', hours, { interval, untilMs });

  it('a series has a point at the end of each interval, the last one now, with all recorded by then', () => {
    const points = series(
      [
        hour(0, 'control', { sessions: 3n, converted_sessions: 1n }),
        hour(0, 'treatment', { sessions: 5n }),
        hour(2, 'control', { sessions: 4n, converted_sessions: -1n }),
      ],
      START_MS + 2 * HOUR_MS,
    );
    expect(points.map(({ at }) => at)).toEqual([
      '2026-01-31T10:00:00.000Z',
      '2026-01-31T11:00:00.000Z',
      '2026-01-31T11:30:00.000Z',
    ]);
    expect(points.map(({ arms }) => [arms.control, arms.treatment.eligible_sessions])).toEqual([
      [{ eligible_sessions: 3, converted_sessions: 1 }, 5],
      [{ eligible_sessions: 3, converted_sessions: 1 }, 5],
      [{ eligible_sessions: 7, converted_sessions: 0 }, 5],
    ]);
    expect(points[0]?.sample_ratio.state).toBe('insufficient');
    expect(points[0]?.effect.absolute).toBeCloseTo(-1 / 3);
  });

  it('gives the reason for a missing effect', () => {
    expect(series([], START_MS)[0]?.effect).toMatchObject({ absolute: null, reason: 'no_sessions' });
  });

  it('a daily series goes from midnight to midnight in UTC', () => {
    const points = series([hour(0, 'control', { sessions: 1n })], START_MS + 24 * HOUR_MS, 'day');
    expect(points.map(({ at }) => at)).toEqual(['2026-02-01T00:00:00.000Z', '2026-02-01T09:30:00.000Z']);
    expect(pointsOf(START_MS, START_MS + 24 * HOUR_MS, 'day')).toBe(2);
    expect(pointsOf(START_MS, START_MS, 'hour')).toBe(1);
  });

  it('a series of too many points has the latest ones, including all earlier records', () => {
    const untilMs = START_MS + (MAX_POINTS + 9) * HOUR_MS;
    const points = series([hour(0, 'control', { sessions: 3n })], untilMs);
    expect(points).toHaveLength(MAX_POINTS);
    expect(points.at(-1)?.at).toBe(new Date(untilMs).toISOString());
    expect(points[0]?.arms.control.eligible_sessions).toBe(3);
  });

  it('a series is empty before the experiment starts', () => {
    const draft = { ...EXPERIMENT, started_at: null };
    expect(buildSeries(draft, 'EUR', [], { interval: 'hour', untilMs: START_MS })).toEqual([]);
  });
});
