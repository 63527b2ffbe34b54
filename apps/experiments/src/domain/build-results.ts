import type {
  ArmCounts,
  ArmResults,
  CoveredEstimate,
  Effect,
  ExcludedSessions,
  ExclusionChange,
  ExperimentMetric,
  ExperimentResource,
  ExperimentResults,
  MeanEstimate,
  PowerResults,
  SampleRatioPart,
  Variant,
} from '@truetally/contracts/experiments';
import { minorDigitsOf } from '@truetally/kernel';
import type { Sums } from './account.js';
import { estimateMean, estimateShare, noMean, REASONS } from './statistics/arm-estimates.js';
import { type EffectPlan, meanEffect, noEffect, shareEffect } from './statistics/effects.js';
import { type ArmSample, momentsOf, type Share } from './statistics/moments.js';
import { plannedSessions, powerOf } from './statistics/power.js';
import { sampleRatio, sampleRatioOfPart } from './statistics/sample-ratio.js';
import { skewnessOf } from './statistics/skewness.js';
import { concentrationOf, notAsked, type SampledSession } from './session-sample.js';
import type { Dimension } from './sum-changes.js';

export type ArmSums = Readonly<Record<Variant, Sums>>;

/** The inputs of an experiment's results: sums, never sessions. */
export interface ResultsBasis {
  readonly experiment: ExperimentResource;
  /** ISO 4217. */
  readonly currency: string;
  readonly arms: ArmSums;
  readonly parts: readonly {
    readonly dimension: Dimension;
    readonly value: string;
    readonly observed: ArmCounts;
  }[];
  readonly otherCurrencies: readonly { readonly currency: string; readonly orders: number }[];
  /** Changes of the rule, the newest first, and whether sessions wait to be looked at. */
  readonly exclusions: { readonly changes: readonly ExclusionChange[]; readonly isPending: boolean };
  /** At random. */
  readonly sample: readonly (SampledSession & { readonly isSettled: boolean })[];
}

/** Interface page, section 7: the scope of the measurement. */
const SCOPE_NOTE =
  'These results measure the selected experiences within eligible partner traffic. They make no claim about a ' +
  'partner’s total incrementality.';

/** The answer of `GET /partner-experiments/{id}/results`. */
export function buildResults(basis: ResultsBasis): ExperimentResults {
  const { experiment, currency, arms } = basis;
  const observed = countsOf(arms);
  const power = powerOf(planOf(experiment), observed);
  const scale = scaleOf(currency);
  const both = (field: keyof Sums): number => Number(arms.control[field] + arms.treatment[field]);
  const late = both('late_orders');
  const inTime = both('counted_orders') + both('other_currency_orders');
  return {
    experiment,
    window: { from: experiment.started_at, to: experiment.stopped_at },
    arms: { control: armResults(basis, 'control'), treatment: armResults(basis, 'treatment') },
    effects: effectsOf(basis, power),
    sample_ratio: { ...sampleRatio(observed, experiment.allocation), breakdown: breakdownOf(basis) },
    concentration: concentrationOf(basis.sample),
    unseen_sessions: notAsked(basis.sample.filter(({ isSettled }) => isSettled).length),
    exclusions: excludedOf(basis),
    power,
    late_conversions: {
      state: presence(late),
      count: late,
      ...(late + inTime === 0
        ? { share: null, reason: REASONS.noOrders }
        : { share: late / (late + inTime) }),
    },
    refunds: counted(both('refunds'), both('refund_amount') / scale),
    cancellations: counted(both('cancellations'), both('cancellation_amount') / scale),
    other_currencies: { count: both('other_currency_orders'), currencies: basis.otherCurrencies },
    currency,
    scope_note: SCOPE_NOTE,
  };
}

/** The effect on one metric for these sums. @param hasCubes without sums of cubes no skewness is known */
export function effectOn(
  metric: ExperimentMetric,
  { experiment, currency, arms }: Pick<ResultsBasis, 'arms' | 'currency' | 'experiment'>,
  power: PowerResults,
  hasCubes = true,
): Effect {
  const plan: EffectPlan = {
    alpha: experiment.alpha,
    plannedSessions: plannedSessions(planOf(experiment), experiment.allocation),
    isPremature: power.state === 'underpowered',
  };
  if (metric === 'conversion') return shareEffect(sharesOf(arms.control), sharesOf(arms.treatment), plan);
  const unknown = metric === CONTRIBUTION ? unknownContribution(arms, ['control', 'treatment']) : undefined;
  if (unknown !== undefined) return noEffect('welch_t', unknown, plan);
  const sample = (variant: Variant): ArmSample => {
    const known = sampleOn(metric, arms[variant], currency);
    return hasCubes ? known : { ...known, skewness: null };
  };
  return meanEffect({ control: sample('control'), treatment: sample('treatment') }, plan);
}

export function powerAt(experiment: ExperimentResource, arms: ArmSums): PowerResults {
  return powerOf(planOf(experiment), countsOf(arms));
}

export function countsOf({ control, treatment }: ArmSums): ArmCounts {
  return { control: Number(control.sessions), treatment: Number(treatment.sessions) };
}

const CONTRIBUTION = 'partner_contribution_per_session';

function effectsOf(basis: ResultsBasis, power: PowerResults): ExperimentResults['effects'] {
  return {
    conversion: effectOn('conversion', basis, power),
    revenue_per_session: effectOn('revenue_per_session', basis, power),
    gross_profit_per_session: effectOn('gross_profit_per_session', basis, power),
    partner_contribution_per_session: effectOn(CONTRIBUTION, basis, power),
  };
}

function armResults({ experiment, currency, arms }: ResultsBasis, variant: Variant): ArmResults {
  const { alpha } = experiment;
  const sums = arms[variant];
  const shares = sharesOf(sums);
  const mean = (metric: MoneyMetric): MeanEstimate => estimateMean(sampleOn(metric, sums, currency), alpha);
  const covered = (estimate: MeanEstimate): CoveredEstimate =>
    sums.counted_orders === 0n
      ? { reason: REASONS.noOrders, ...estimate, coverage: null }
      : { ...estimate, coverage: Number(sums.exact_orders) / Number(sums.counted_orders) };
  const unknown = unknownContribution(arms, [variant]);
  return {
    eligible_sessions: shares.count,
    converted_sessions: shares.successes,
    conversion: estimateShare(shares, alpha),
    revenue_per_session: mean('revenue_per_session'),
    gross_profit_per_session: covered(mean('gross_profit_per_session')),
    partner_contribution_per_session: covered(unknown === undefined ? mean(CONTRIBUTION) : noMean(unknown)),
  };
}

/**
 * Why the contribution of these arms is unknown: an order has a touch, but no rule was in force for any of
 * its touches; or orders were counted, and none has a rule (docs/decisions/experiments.md).
 */
function unknownContribution(arms: ArmSums, variants: readonly Variant[]): string | undefined {
  const counted = arms.control.counted_orders + arms.treatment.counted_orders;
  const ruled = arms.control.ruled_orders + arms.treatment.ruled_orders;
  const isUnruled = variants.some((variant) => arms[variant].unruled_orders > 0n);
  return isUnruled || (counted > 0n && ruled === 0n) ? 'no_commission_rule' : undefined;
}

type MoneyMetric = Exclude<ExperimentMetric, 'conversion'>;

const FIELDS = {
  revenue_per_session: ['revenue', 'revenue_squares', 'revenue_cubes'],
  gross_profit_per_session: ['gross_profit', 'gross_profit_squares', 'gross_profit_cubes'],
  partner_contribution_per_session: ['contribution', 'contribution_squares', 'contribution_cubes'],
} as const satisfies Record<MoneyMetric, readonly [keyof Sums, keyof Sums, keyof Sums]>;

function sampleOn(metric: MoneyMetric, sums: Sums, currency: string): ArmSample {
  const [sum, squares, cubes] = FIELDS[metric];
  return {
    ...momentsOf(sums.sessions, sums[sum], sums[squares], scaleOf(currency)),
    skewness: skewnessOf(sums.sessions, sums[sum], sums[squares], sums[cubes]),
    conversions: buyingSessions(metric, sums),
  };
}

/** At most so many sessions have an amount: those of foreign orders and of unknown margins have none. */
function buyingSessions(metric: MoneyMetric, sums: Sums): number {
  const orders = metric === 'revenue_per_session' ? sums.counted_orders : sums.exact_orders;
  return Math.min(Number(sums.converted_sessions), Number(orders));
}

function sharesOf(sums: Sums): Share {
  return { successes: Number(sums.converted_sessions), count: Number(sums.sessions) };
}

function planOf(experiment: ExperimentResource) {
  return {
    baselineRate: experiment.baseline_rate,
    minimumDetectableEffect: experiment.minimum_detectable_effect,
    alpha: experiment.alpha,
    power: experiment.power,
  };
}

/** They are no part of the sample that the breakdown is about. */
function excludedOf({ experiment, parts, exclusions }: ResultsBasis): ExcludedSessions {
  const excluded = parts.find(({ dimension }) => dimension === 'excluded');
  const settled = experiment.exclusions.sessions_per_network === null ? 'none' : 'applied';
  return {
    state: exclusions.isPending ? 'pending' : settled,
    sessions: excluded?.observed ?? { control: 0, treatment: 0 },
    changes: exclusions.changes,
  };
}

function breakdownOf(basis: ResultsBasis): ExperimentResults['sample_ratio']['breakdown'] {
  const { experiment } = basis;
  const parts = basis.parts.filter(({ dimension }) => dimension !== 'excluded');
  const of = (wanted: Dimension): readonly SampleRatioPart[] =>
    parts
      .filter(({ dimension }) => dimension === wanted)
      .map(({ value, observed }) => ({
        value,
        ...sampleRatioOfPart(observed, experiment.allocation, parts.length),
      }));
  return { day: of('day'), provider: of('provider'), device: of('device') };
}

function counted(count: number, amount: number) {
  return { state: presence(count), count, amount };
}

function presence(count: number): 'none' | 'present' {
  return count === 0 ? 'none' : 'present';
}

/** Minor units of one major unit. */
function scaleOf(currency: string): number {
  return 10 ** (minorDigitsOf(currency) ?? 0);
}
