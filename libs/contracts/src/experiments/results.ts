import type { ExperimentResource } from './experiment.js';

/**
 * `GET /partner-experiments/{id}/results` (interface page, section 7). A value that cannot be computed is
 * null, with a `reason` beside it. Monetary values are numbers of major units of `currency`.
 */

export interface Interval {
  /** 1 − alpha of the experiment. */
  readonly level: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Valid even where a sample is too skewed for the usual interval: by Hall's transformation, or Fieller's
 * theorem.
 */
export interface AdjustedInterval extends Interval {
  readonly method: 'hall' | 'fieller';
}

export interface Estimate {
  readonly value: number | null;
  readonly standard_error: number | null;
  readonly confidence_interval: Interval | null;
  readonly reason?: string;
}

/** A mean of money over sessions: most are zero and few are large. */
export interface MeanEstimate extends Estimate {
  /** Of the arm's sessions; null with fewer than three, or without variance. */
  readonly skewness: number | null;
  /** The t interval is too narrow for this sample size and skewness: use the adjusted one. */
  readonly skewed: boolean;
  readonly adjusted_interval: AdjustedInterval | null;
}

export interface RelativeEstimate extends Estimate {
  /** Also null where control's mean may be zero. */
  readonly adjusted_interval: AdjustedInterval | null;
}

export interface CoveredEstimate extends MeanEstimate {
  /** Counted orders with an exact margin / counted orders; null without any counted order. */
  readonly coverage: number | null;
}

/** An interval that stays valid under repeated looks; its bounds are null where it cannot be computed. */
export interface SequentialInterval {
  readonly level: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly reason?: string;
}

/** Treatment − control. */
export interface Effect {
  readonly absolute: number | null;
  /** Relative to control's mean, by the delta method. */
  readonly relative: RelativeEstimate;
  readonly standard_error: number | null;
  readonly confidence_interval: Interval | null;
  readonly p_value: number | null;
  readonly method: 'welch_t' | 'unpooled_two_proportion_z';
  readonly sequential: SequentialInterval;
  /** The planned sample size is not reached: do not act upon the fixed interval yet. */
  readonly premature: boolean;
  readonly reason?: string;
}

export const METRICS_OF_EXPERIMENT = [
  'conversion',
  'revenue_per_session',
  'gross_profit_per_session',
  'partner_contribution_per_session',
] as const;
export type ExperimentMetric = (typeof METRICS_OF_EXPERIMENT)[number];

export interface ArmResults {
  readonly eligible_sessions: number;
  readonly converted_sessions: number;
  readonly conversion: Estimate;
  readonly revenue_per_session: MeanEstimate;
  readonly gross_profit_per_session: CoveredEstimate;
  readonly partner_contribution_per_session: CoveredEstimate;
}

export interface ArmCounts {
  readonly control: number;
  readonly treatment: number;
}

export interface SampleRatio {
  readonly state: 'ok' | 'mismatch' | 'insufficient';
  readonly expected: ArmCounts;
  readonly observed: ArmCounts;
  readonly chi_square: number | null;
  readonly p_value: number | null;
  readonly reason?: string;
}

/**
 * Sample ratio of one part of the sessions: a day (UTC), the provider of the first touch, or a device class.
 */
export interface SampleRatioPart extends SampleRatio {
  readonly value: string;
}

export interface SampleRatioResults extends SampleRatio {
  readonly breakdown: {
    /** The latest 400. */
    readonly day: readonly SampleRatioPart[];
    readonly provider: readonly SampleRatioPart[];
    readonly device: readonly SampleRatioPart[];
  };
}

export interface PowerResults {
  readonly state: 'underpowered' | 'adequate';
  readonly minimum_detectable_effect: number;
  readonly required_sessions_per_arm: number | null;
  readonly observed_sessions_per_arm: ArmCounts;
  readonly reason?: string;
}

/** Whether there are any. */
export type Presence = 'none' | 'present';

export interface ExperimentResults {
  readonly experiment: ExperimentResource;
  /** From start to stop; null for what has not happened yet. */
  readonly window: { readonly from: string | null; readonly to: string | null };
  readonly arms: { readonly control: ArmResults; readonly treatment: ArmResults };
  readonly effects: Readonly<Record<ExperimentMetric, Effect>>;
  readonly sample_ratio: SampleRatioResults;
  readonly power: PowerResults;
  /** `share` of all orders in the window or after it; null without orders. */
  readonly late_conversions: {
    readonly state: Presence;
    readonly count: number;
    readonly share: number | null;
  };
  readonly refunds: { readonly state: Presence; readonly count: number; readonly amount: number };
  readonly cancellations: { readonly state: Presence; readonly count: number; readonly amount: number };
  /**
   * Orders in another currency than the experiment's. They count as conversions, but in no monetary measure.
   */
  readonly other_currencies: {
    readonly count: number;
    readonly currencies: readonly { readonly currency: string; readonly orders: number }[];
  };
  /** ISO 4217. */
  readonly currency: string;
  readonly scope_note: string;
}

/** `GET /{id}/results/series`: the primary metric at the end of each interval. */
export interface SeriesPoint {
  /** ISO 8601 UTC: the end of the interval. */
  readonly at: string;
  readonly arms: { readonly control: SeriesArm; readonly treatment: SeriesArm };
  readonly effect: Pick<Effect, 'absolute' | 'confidence_interval' | 'sequential' | 'reason'>;
  readonly sample_ratio: Pick<SampleRatio, 'state' | 'p_value'>;
}

export interface SeriesArm {
  readonly eligible_sessions: number;
  readonly converted_sessions: number;
}

export interface ResultsSeries {
  readonly series: readonly SeriesPoint[];
}

/** `GET /partner-experiments/required-sample`. */
export interface RequiredSample {
  readonly required_sessions_per_arm: number | null;
  readonly total_sessions: number | null;
  /** Null without `daily_sessions`. */
  readonly days: number | null;
  readonly reason?: string;
}
