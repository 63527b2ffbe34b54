import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { METRICS_OF_EXPERIMENT, type ExperimentResource } from '@truetally/contracts/experiments';
import { EMPTY_SUMS, HOUR_FIELDS, type Sums } from './account.js';
import { buildResults } from './build-results.js';
import { buildSeries } from './build-series.js';
import { sumsOfSession, EMPTY_ACCOUNT, RunningSums } from './account.js';

const STARTED_MS = Date.parse('2026-01-31T09:30:00.000Z');

/** Resources and windows: what has not happened yet is null without a reason (interface page, section 7). */
const NOT_COMPUTED = ['experiment', 'window'];

/** Paths of the nulls without a reason beside them, and of the numbers that JSON cannot have. */
function faultsOf(answer: unknown, path = ''): readonly string[] {
  if (typeof answer === 'number') return Number.isFinite(answer) ? [] : [path];
  if (typeof answer !== 'object' || answer === null) return [];
  const fields = Object.entries(answer).filter(([name]) => !NOT_COMPUTED.includes(name));
  const hasReason = 'reason' in answer && typeof answer.reason === 'string' && answer.reason !== '';
  return fields.flatMap(([name, value]) =>
    value === null && !hasReason ? [`${path}.${name}`] : faultsOf(value, `${path}.${name}`),
  );
}

const amount = fc.oneof(
  fc.constant(0n),
  fc.bigInt(-(10n ** 5n), 10n ** 6n),
  fc.bigInt(-(10n ** 17n), 10n ** 18n),
);
const bit = fc.constantFrom(0n, 1n);
const session = fc
  .record({
    revenue: amount,
    gross_profit: amount,
    contribution: amount,
    live: bit,
    exact: bit,
    ruled: bit,
    unruled: bit,
  })
  .map(({ live, exact, ruled, unruled, ...amounts }) =>
    sumsOfSession({
      ...EMPTY_ACCOUNT,
      ...amounts,
      counted_orders: live,
      live_orders: live,
      exact_orders: live * exact,
      ruled_orders: live * ruled,
      unruled_orders: live * unruled * exact * (1n - ruled),
    }),
  );
/** Each session many times, so that there are samples of every size. */
const arm = fc
  .array(fc.tuple(session, fc.constantFrom(1n, 1n, 12n, 400n)), { maxLength: 8 })
  .map((sessions) => {
    const total = new RunningSums();
    for (const [sums, times] of sessions) total.add(multiplied(sums, times));
    return total.sums;
  });
const experiment = fc
  .record({
    control: fc.constantFrom(0, 0.05, 0.5, 1),
    primary_metric: fc.constantFrom(...METRICS_OF_EXPERIMENT),
    baseline_rate: fc.constantFrom(0, 0.03, 1),
    minimum_detectable_effect: fc.constantFrom(1e-300, 0.2, 50),
    alpha: fc.constantFrom(1e-9, 0.05, 0.999),
  })
  .map(({ control, ...given }) => ({
    ...EXPERIMENT,
    ...given,
    allocation: { control, treatment: 1 - control },
  }));

function multiplied(sums: Sums, times: bigint): Sums {
  return {
    ...sums,
    ...Object.fromEntries(Object.entries(sums).map(([field, value]) => [field, value * times])),
  };
}

describe('interface page, section 7: what cannot be computed is null, with a reason beside it', () => {
  it('results of any sums have no other null, no NaN and no Infinity', () => {
    fc.assert(
      fc.property(
        experiment,
        arm,
        arm,
        fc.constantFrom('EUR', 'JPY'),
        (given, control, treatment, currency) => {
          const observed = { control: Number(control.sessions), treatment: Number(treatment.sessions) };
          const parts = [{ dimension: 'device', value: 'mobile', observed }] as const;
          const results = buildResults({
            experiment: given,
            currency,
            arms: { control, treatment },
            parts,
            otherCurrencies: [],
            exclusions: { changes: [], isPending: false },
            sample: [{ network: null, isSettled: true }],
          });
          expect(faultsOf(results)).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('series of any sums have no other null, no NaN and no Infinity', () => {
    fc.assert(
      fc.property(experiment, arm, arm, (given, control, treatment) => {
        const hours = [
          { hourMs: STARTED_MS, variant: 'control', sums: ofHour(control) },
          { hourMs: STARTED_MS + 3_600_000, variant: 'treatment', sums: ofHour(treatment) },
        ] as const;
        const untilMs = STARTED_MS + 2 * 3_600_000;
        expect(faultsOf(buildSeries(given, 'EUR', hours, { interval: 'hour', untilMs }))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('the search finds a null without a reason, and a number that is none', () => {
    expect(faultsOf({ a: { b: null }, c: [{ d: NaN }], e: { f: null, reason: 'none' } })).toEqual([
      '.a.b',
      '.c.0.d',
    ]);
  });
});

/** Hours have no cubes. */
function ofHour(sums: Sums): Sums {
  return { ...EMPTY_SUMS, ...Object.fromEntries(HOUR_FIELDS.map((field) => [field, sums[field]])) };
}

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
  started_at: new Date(STARTED_MS).toISOString(),
  stopped_at: null,
};
