import { CURRENCY_FORM, currencyOf } from '../management/locale.js';
import {
  FiniteNumber,
  ListOf,
  Nested,
  NestedList,
  NonEmptyText,
  NumberWithin,
} from '../validation/decorators.js';
import { OneOf, OrAbsent, OrNull, Readable, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT } from '../validation/forms.js';
import { identifier } from '../validation/rules.js';
import {
  ArmCounts,
  CoveredEstimate,
  Effect,
  MeanEstimate,
  PowerResults,
  ShareEstimate,
} from './estimates.js';
import { SampleRatio, SeriesEffect, SeriesSampleRatio } from './estimates.js';
import { Exclusions, ExperimentResource } from './experiment.js';
import type { ExperimentMetric } from './metrics.js';

/** One part per day, provider or device class. */
const PARTS = { min: 0, max: 10_000 };
const POINTS = { min: 0, max: 400 };
const CURRENCIES = { min: 0, max: 1_000 };
const VALUE = { max: 128 };
const NOTE = { max: 1_000 };
const PRESENCES = ['none', 'present'] as const;

/** Whether there are any. */
export type Presence = (typeof PRESENCES)[number];

/** An arm at one point of the series. */
export class SeriesArm {
  @WholeNumber(COUNT) readonly eligible_sessions!: number;
  @WholeNumber(COUNT) readonly converted_sessions!: number;
}

/** Counts and measures of one arm. */
export class ArmResults extends SeriesArm {
  @Nested(() => ShareEstimate) readonly conversion!: ShareEstimate;
  @Nested(() => MeanEstimate) readonly revenue_per_session!: MeanEstimate;
  @Nested(() => CoveredEstimate) readonly gross_profit_per_session!: CoveredEstimate;
  @Nested(() => CoveredEstimate) readonly partner_contribution_per_session!: CoveredEstimate;
}

class Arms {
  @Nested(() => ArmResults) readonly control!: ArmResults;
  @Nested(() => ArmResults) readonly treatment!: ArmResults;
}

class Effects implements Record<ExperimentMetric, Effect> {
  @Nested(() => Effect) readonly conversion!: Effect;
  @Nested(() => Effect) readonly revenue_per_session!: Effect;
  @Nested(() => Effect) readonly gross_profit_per_session!: Effect;
  @Nested(() => Effect) readonly partner_contribution_per_session!: Effect;
}

/**
 * Sample ratio of one part of the sessions: a day (UTC), the provider of the first touch, or a device class.
 */
export class SampleRatioPart extends SampleRatio {
  @NonEmptyText(VALUE) readonly value!: string;
}

class SampleRatioBreakdown {
  /** The latest 400. */
  @NestedList(() => SampleRatioPart, POINTS) readonly day!: readonly SampleRatioPart[];
  @NestedList(() => SampleRatioPart, PARTS) readonly provider!: readonly SampleRatioPart[];
  @NestedList(() => SampleRatioPart, PARTS) readonly device!: readonly SampleRatioPart[];
}

/** The sample ratio with its breakdown, which can explain a mismatch. */
export class SampleRatioResults extends SampleRatio {
  @Nested(() => SampleRatioBreakdown) readonly breakdown!: SampleRatioBreakdown;
}

class ExperimentWindow {
  @OrNull() @Timestamp() readonly from!: string | null;
  @OrNull() @Timestamp() readonly to!: string | null;
}

class LateConversions {
  @OneOf(PRESENCES) readonly state!: Presence;
  @WholeNumber(COUNT) readonly count!: number;
  @OrNull() @NumberWithin({ min: 0, max: 1 }) readonly share!: number | null;
  @OrAbsent() @NonEmptyText(NOTE) readonly reason?: string;
}

class ChangedOrders {
  @OneOf(PRESENCES) readonly state!: Presence;
  @WholeNumber(COUNT) readonly count!: number;
  @FiniteNumber() readonly amount!: number;
}

class OrdersOfCurrency {
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @WholeNumber(COUNT) readonly orders!: number;
}

class OtherCurrencies {
  @WholeNumber(COUNT) readonly count!: number;
  @NestedList(() => OrdersOfCurrency, CURRENCIES) readonly currencies!: readonly OrdersOfCurrency[];
}

const SAMPLED = { min: 0, max: 500 };
const SAMPLE_REASON = { max: 200 };
const UNSEEN_STATES = ['insufficient', 'ok', 'suspicious', 'unknown'] as const;
const CONCENTRATION_STATES = ['insufficient', 'ok', 'concentrated'] as const;

/**
 * Assigned sessions that never sent an event: real visitors do, and who makes up sessions to move a result need not. Of a random sample
 * of those that were assigned more than ten minutes ago.
 */
export class UnseenSessions {
  @OneOf(UNSEEN_STATES) readonly state!: (typeof UNSEEN_STATES)[number];
  @WholeNumber(SAMPLED) readonly sampled!: number;
  @OrNull() @WholeNumber(SAMPLED) readonly count!: number | null;
  @OrNull() @NumberWithin({ min: 0, max: 1 }) readonly share!: number | null;
  @OrAbsent() @NonEmptyText(SAMPLE_REASON) readonly reason?: string;
}

/** How many assigned sessions of a random sample came from one network: an IPv4 address, or the /64 of an IPv6 one. */
export class SessionConcentration {
  @OneOf(CONCENTRATION_STATES) readonly state!: (typeof CONCENTRATION_STATES)[number];
  @WholeNumber(SAMPLED) readonly sampled!: number;
  @OrNull() @NumberWithin({ min: 0, max: 1 }) readonly largest_network_share!: number | null;
  @OrAbsent() @NonEmptyText(SAMPLE_REASON) readonly reason?: string;
}

const CHANGES = { min: 0, max: 100 };
const EXCLUSION_STATES = ['none', 'pending', 'applied'] as const;

/** The rule from this time on; who set it is in the audit log. */
export class ExclusionChange extends Exclusions {
  @Timestamp() readonly changed_at!: string;
}

/**
 * What the experiment's exclusions leave out of everything else here. `pending` while sessions, or a changed rule, wait to be looked
 * at; every change of the rule is listed, the newest first.
 */
export class ExcludedSessions {
  @OneOf(EXCLUSION_STATES) readonly state!: (typeof EXCLUSION_STATES)[number];
  @Nested(() => ArmCounts) readonly sessions!: ArmCounts;
  @NestedList(() => ExclusionChange, CHANGES) readonly changes!: readonly ExclusionChange[];
}

/**
 * `GET /partner-experiments/{id}/results` (interface page, section 7). A value that cannot be computed is
 * null, with a `reason` beside it. Monetary values are numbers of major units of `currency`.
 */
export class ExperimentResults {
  @Nested(() => ExperimentResource) readonly experiment!: ExperimentResource;
  /** From start to stop; null for what has not happened yet. */
  @Nested(() => ExperimentWindow) readonly window!: ExperimentWindow;
  @Nested(() => Arms) readonly arms!: Arms;
  @Nested(() => Effects) readonly effects!: Effects;
  @Nested(() => SampleRatioResults) readonly sample_ratio!: SampleRatioResults;
  @Nested(() => SessionConcentration) readonly concentration!: SessionConcentration;
  @Nested(() => UnseenSessions) readonly unseen_sessions!: UnseenSessions;
  @Nested(() => ExcludedSessions) readonly exclusions!: ExcludedSessions;
  @Nested(() => PowerResults) readonly power!: PowerResults;
  /** `share` of all orders in the window or after it; null without orders. */
  @Nested(() => LateConversions) readonly late_conversions!: LateConversions;
  @Nested(() => ChangedOrders) readonly refunds!: ChangedOrders;
  @Nested(() => ChangedOrders) readonly cancellations!: ChangedOrders;
  /**
   * Orders in another currency than the experiment's. They count as conversions, but in no monetary measure.
   */
  @Nested(() => OtherCurrencies) readonly other_currencies!: OtherCurrencies;
  /** ISO 4217. */
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @NonEmptyText(NOTE) readonly scope_note!: string;
}

/** The service's answer: it knows the sessions, and another one their events. */
export class MeasuredExperiment {
  @Nested(() => ExperimentResults) readonly results!: ExperimentResults;
  /** The random sample. */
  @ListOf(identifier(VALUE), SAMPLED) readonly session_sample!: readonly string[];
}

class SeriesArms {
  @Nested(() => SeriesArm) readonly control!: SeriesArm;
  @Nested(() => SeriesArm) readonly treatment!: SeriesArm;
}

/** The primary metric at the end of one interval. */
export class SeriesPoint {
  /** ISO 8601 UTC: the end of the interval. */
  @Timestamp() readonly at!: string;
  @Nested(() => SeriesArms) readonly arms!: SeriesArms;
  @Nested(() => SeriesEffect) readonly effect!: SeriesEffect;
  @Nested(() => SeriesSampleRatio) readonly sample_ratio!: SeriesSampleRatio;
}

/** `GET /{id}/results/series`. */
export class ResultsSeries {
  /** Of hours and days, whatever the site's time zone. */
  @OneOf(['UTC']) readonly timezone!: 'UTC';
  @NestedList(() => SeriesPoint, POINTS) readonly series!: readonly SeriesPoint[];
}
