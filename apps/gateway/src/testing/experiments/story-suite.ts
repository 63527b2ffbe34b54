import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type {
  AssignmentResource,
  ExperimentResource,
  ExperimentResults,
  ResultsSeries,
} from '@truetally/contracts/experiments';
import { eventually, request } from '@truetally/testing';
import type { Product } from '@truetally/testing-product';
import { armByRecipe, dataOf, ExperimentShop, ordersOf, sessionIn } from '../experiment-shop.js';

const DAY_MS = 86_400_000;

let shop: ExperimentShop;
let experiment: ExperimentResource;
let results: ExperimentResults;

interface Visitor {
  readonly assignment: AssignmentResource;
  /** Fields of the session in an order. */
  readonly names: { readonly experiment_assignment_ids: string[]; readonly touch_ids: string[] };
}

/** A visitor of one arm, from one partner. */
async function visitorOf(arm: 'control' | 'treatment', provider: 'awin' | 'cj'): Promise<Visitor> {
  const sessionId = sessionIn(arm, experiment);
  const touchId = randomUUID();
  await shop.touch(sessionId, { touch_id: touchId, provider });
  const assignment = await shop.assigned(sessionId, { touch_ids: [touchId] });
  return {
    assignment,
    names: { experiment_assignment_ids: [assignment.assignment_id], touch_ids: [touchId] },
  };
}

async function accept(...envelopes: readonly object[]): Promise<void> {
  for (const envelope of envelopes) {
    const { status, text } = await shop.convert(envelope);
    expect([status, text]).toEqual([201, expect.any(String)]);
  }
}

/**
 * Four sessions of each arm. Treatment: 100.00 with margin 40.00 (commission 10 %); 50.00 with margin 20.00
 * (commission 2.00), half of it returned; 80.00 with an estimated margin (commission 8.00); 60.00, cancelled.
 * Control: 40.00 with margin 10.00, all of it returned; an order a day and a moment later; one from before; one
 * in another currency.
 */
async function sell(): Promise<void> {
  const { purchase, adjustment, cancellation } = ordersOf(shop);
  const [t1, t2, t3, t4, c1, c2, c3, c4] = await Promise.all([
    visitorOf('treatment', 'awin'),
    visitorOf('treatment', 'cj'),
    visitorOf('treatment', 'awin'),
    visitorOf('treatment', 'awin'),
    visitorOf('control', 'awin'),
    visitorOf('control', 'awin'),
    visitorOf('control', 'awin'),
    visitorOf('control', 'awin'),
  ]);
  const around = (visitor: Visitor, offsetMs: number) => ({
    ...visitor.names,
    occurred_at: new Date(Date.parse(visitor.assignment.assigned_at) + offsetMs).toISOString(),
  });
  const estimated = { margin: { amount: 30, basis: 'estimated', source: 'category' } };
  await Promise.all([
    accept(purchase('t1', 100, { cost: 60, ...t1.names })),
    accept(purchase('t2', 50, { cost: 30, ...t2.names }), adjustment('t2', -25)),
    accept(purchase('t3', 80, { ...estimated, ...t3.names })),
    accept(purchase('t4', 60, { cost: 10, ...t4.names }), cancellation('t4', 60)),
    accept(purchase('c1', 40, { cost: 30, ...c1.names }), adjustment('c1', -40, { margin_delta: -10 })),
    accept(purchase('c2', 70, { cost: 30, ...around(c2, DAY_MS) })),
    accept(purchase('c3', 90, { cost: 30, ...around(c3, -1) })),
    accept(purchase('c4', 30, { currency: 'USD', cost: 10, ...c4.names })),
  ]);
}

async function play(product: Product): Promise<void> {
  shop = await ExperimentShop.open(product);
  await shop.rule({ provider: 'awin', type: 'percentage', rate: '0.1' });
  await shop.rule({ provider: 'cj', type: 'fixed', amount: '2.00', currency: 'EUR' });
  experiment = await shop.running({ attribution_window_days: 1 });
  await sell();
  results = await shop.resultsWhen(
    experiment.id,
    ({ arms, refunds, cancellations, late_conversions: late, other_currencies: others }) =>
      arms.control.eligible_sessions + arms.treatment.eligible_sessions === 8 &&
      refunds.count === 2 &&
      cancellations.count === 1 &&
      late.count === 1 &&
      others.count === 1 &&
      arms.treatment.revenue_per_session.value === 51.25,
  );
}

/** Four sessions of each arm, their orders, and their results. */
export function storySuite(product: () => Product): void {
  describe('interface page, section 7: a whole story, with its figures worked out by hand', () => {
    beforeAll(() => play(product()));

    it('the variant is a pure function of experiment salt and session id, a documented hash over UTF-8 bytes', async () => {
      for (const sessionId of ['säsong-å', '日本語セッション', randomUUID()]) {
        const { variant } = await shop.assigned(sessionId, { experiment_ids: [experiment.id] });
        expect(variant).toBe(armByRecipe(experiment, sessionId));
      }
    });

    it('every eligible assigned session counts whether or not the experience was shown', () => {
      const { control, treatment } = results.arms;
      expect([control.eligible_sessions, treatment.eligible_sessions]).toEqual([4, 4]);
    });

    it('a session whose orders are all cancelled is not converted; a returned or a foreign one is', () => {
      const { control, treatment } = results.arms;
      expect([control.converted_sessions, treatment.converted_sessions]).toEqual([2, 3]);
      expect([control.conversion.value, treatment.conversion.value]).toEqual([0.5, 0.75]);
      // Wilson for 3 of 4 at 95 %: SciPy's binomtest(3, 4).proportion_ci(method='wilson').
      expect(treatment.conversion.confidence_interval?.low).toBeCloseTo(0.3006418, 6);
      expect(treatment.conversion.confidence_interval?.high).toBeCloseTo(0.9544127, 6);
    });

    it('means are over all eligible sessions, zeros included, net of adjustments and cancellations', () => {
      const { control, treatment } = results.arms;
      // (100 + 25 + 80 + 0) / 4.
      expect([control.revenue_per_session.value, treatment.revenue_per_session.value]).toEqual([0, 51.25]);
      // sqrt(6518.75 / 3 / 4), and t(0.975, 3) = 3.18244630528 times that.
      expect(treatment.revenue_per_session.standard_error).toBeCloseTo(23.307277, 5);
      expect(treatment.revenue_per_session.confidence_interval?.high).toBeCloseTo(125.424154, 5);
      // Central moments of 100, 25, 80 and 0: −3269.53125 over (6518.75 / 4)^1.5.
      expect(treatment.revenue_per_session.skewness).toBeCloseTo(-0.0496969, 6);
    });

    it('gross profit uses exact margins only, with its coverage; an adjustment without margin_delta takes it in proportion', () => {
      const { control, treatment } = results.arms;
      // (40 + 20 / 2 + 0 + 0) / 4, of 3 exact among 4 counted orders.
      expect(treatment.gross_profit_per_session).toMatchObject({ value: 12.5, coverage: 0.75 });
      expect(control.gross_profit_per_session).toMatchObject({ value: 0, coverage: 1 });
    });

    it('partner contribution = gross profit − commission by the rule in force', () => {
      // (40 − 10) + (10 − 2) + (0 − 8) + 0.
      expect(results.arms.treatment.partner_contribution_per_session.value).toBe(7.5);
      expect(results.arms.control.partner_contribution_per_session.value).toBe(0);
    });

    it('effects are treatment − control, Welch for means', () => {
      const effect = results.effects.revenue_per_session;
      // t = 51.25 / 23.307277 with 3 degrees of freedom: SciPy's 2 × t.sf(2.198884, 3).
      expect(effect).toMatchObject({ absolute: 51.25, method: 'welch_t', premature: true });
      expect(effect.p_value).toBeCloseTo(0.1152921, 6);
      expect(effect.relative).toMatchObject({ value: null, reason: 'control_is_zero' });
      expect(effect.sequential).toMatchObject({ low: null, high: null, reason: 'few_sessions' });
      expect(effect).toMatchObject({ adjusted_interval: null, skewed: true, reason: 'few_sessions' });
      expect(results.effects.conversion.absolute).toBe(0.25);
    });

    it('what cannot be computed is null, with a reason beside it', async () => {
      const { experiment: resource, window, ...measured } = results;
      expect([resource.id, window.to]).toEqual([experiment.id, null]);
      expect(nullsWithoutReason(measured)).toEqual([]);
      const path = `partner-experiments/${experiment.id}/results/series?interval=hour`;
      const { series } = dataOf(await shop.merchant.get<ResultsSeries>(path));
      expect(nullsWithoutReason(series)).toEqual([]);
      expect(nullsWithoutReason({ rows: [{ value: null }] })).toEqual(['.rows.0.value']);
    });

    it('refunds, cancellations and late conversions are counted; an order before the assignment is ignored', () => {
      expect(results.refunds).toEqual({ state: 'present', count: 2, amount: 65 });
      expect(results.cancellations).toEqual({ state: 'present', count: 1, amount: 60 });
      expect(results.late_conversions).toEqual({ state: 'present', count: 1, share: 1 / 7 });
    });

    it('orders in another currency are left out of monetary measures, counted, and named', () => {
      expect(results.currency).toBe('EUR');
      expect(results.other_currencies).toEqual({ count: 1, currencies: [{ currency: 'USD', orders: 1 }] });
    });

    it('sample ratio and power are reported with them', () => {
      expect(results.sample_ratio).toMatchObject({
        state: 'insufficient',
        expected: { control: 4, treatment: 4 },
        observed: { control: 4, treatment: 4 },
        chi_square: 0,
        p_value: 1,
      });
      const { provider, device } = results.sample_ratio.breakdown;
      expect(provider.map(({ value, observed }) => [value, observed])).toEqual([
        ['awin', { control: 4, treatment: 3 }],
        ['cj', { control: 0, treatment: 1 }],
      ]);
      expect(device.map(({ value }) => value)).toEqual(['unknown']);
      // 7.848880 × (0.1 × 0.9 + 0.12 × 0.88) / 0.02² = 3838.1.
      expect(results.power).toMatchObject({ state: 'underpowered', required_sessions_per_arm: 3_839 });
      expect(results.window).toEqual({ from: experiment.started_at, to: null });
      expect(results.scope_note).toMatch(/total incrementality/);
    });

    it('the series ends with the current results, and the CSV has one row per arm and measure', async () => {
      const path = `partner-experiments/${experiment.id}/results`;
      for (const interval of ['hour', 'day']) {
        const answer = await shop.merchant.get<ResultsSeries>(`${path}/series?interval=${interval}`);
        const last = dataOf(answer).series.at(-1);
        expect(last?.arms.treatment).toEqual({
          eligible_sessions: expect.any(Number),
          converted_sessions: 3,
        });
        expect(last?.sample_ratio.state).toBe('insufficient');
      }
      // A session may be folded between the two answers.
      await eventually(async () => {
        const csv = await request(`${product().baseUrl}/${path}.csv`, {
          headers: { authorization: `Bearer ${shop.merchant.token}` },
        });
        expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
        const rows = csv.text.trimEnd().split('\r\n');
        expect(rows).toHaveLength(9);
        const { value } = dataOf(await shop.results(experiment.id)).arms.treatment.revenue_per_session;
        const row = rows.find((one) => one.startsWith('treatment,revenue_per_session,'));
        return row?.includes(`,${value},`) === true;
      });
    });
  });
}

/** Paths of the nulls that have no text `reason` beside them. */
function nullsWithoutReason(answer: unknown, path = ''): readonly string[] {
  if (typeof answer !== 'object' || answer === null) return [];
  const hasReason = 'reason' in answer && typeof answer.reason === 'string';
  return Object.entries(answer).flatMap(([name, value]) =>
    value === null && !hasReason ? [`${path}.${name}`] : nullsWithoutReason(value, `${path}.${name}`),
  );
}
