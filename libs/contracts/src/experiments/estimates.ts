import { FiniteNumber, Flag, Nested, NonEmptyText, NumberWithin } from '../validation/decorators.js';
import { OneOf, OrAbsent, OrNull, WholeNumber } from '../validation/decorators.js';
import { COUNT } from '../validation/forms.js';

// A value that cannot be computed is null, with a `reason` beside it (interface page, section 7).

const REASON = { max: 500 };
const SHARE = { min: 0, max: 1 };
const ADJUSTMENTS = ['hall', 'fieller'] as const;
const EFFECT_METHODS = ['welch_t', 'unpooled_two_proportion_z'] as const;

/** A confidence interval with its level. */
export class Interval {
  /** 1 − alpha of the experiment. */
  @NumberWithin(SHARE) readonly level!: number;
  @FiniteNumber() readonly low!: number;
  @FiniteNumber() readonly high!: number;
}

/**
 * Valid even where a sample is too skewed for the usual interval: by Hall's transformation, or Fieller's
 * theorem.
 */
export class AdjustedInterval extends Interval {
  @OneOf(ADJUSTMENTS) readonly method!: (typeof ADJUSTMENTS)[number];
}

/** A measure of one arm with its standard error and interval. */
export class Estimate {
  @OrNull() @FiniteNumber() readonly value!: number | null;
  @OrNull() @FiniteNumber() readonly standard_error!: number | null;
  @OrNull() @Nested(() => Interval) readonly confidence_interval!: Interval | null;
  @OrAbsent() @NonEmptyText(REASON) readonly reason?: string;
}

/** The share of sessions that converted. */
export class ShareEstimate extends Estimate {
  /** Fewer than 25 sessions converted, or did not: the interval may not hold its level. */
  @Flag() readonly skewed!: boolean;
}

/** A mean of money over sessions: most are zero and few are large. */
export class MeanEstimate extends Estimate {
  /** Of the arm's sessions; null with fewer than three, or without variance. */
  @OrNull() @FiniteNumber() readonly skewness!: number | null;
  /** The t interval may be too narrow for so few and so different orders: use the adjusted one. */
  @Flag() readonly skewed!: boolean;
  /** Null with fewer than ten buying sessions. */
  @OrNull() @Nested(() => AdjustedInterval) readonly adjusted_interval!: AdjustedInterval | null;
}

/** The effect of treatment relative to control's mean; null where that is zero or negative. */
export class RelativeEstimate extends Estimate {
  /** The interval may be too narrow: use the adjusted one. */
  @Flag() readonly skewed!: boolean;
  /** Null where control's mean may be zero, and while an arm has fewer than ten conversions. */
  @OrNull() @Nested(() => AdjustedInterval) readonly adjusted_interval!: AdjustedInterval | null;
}

/** A mean that depends on margins, with the share of orders whose margin is exact. */
export class CoveredEstimate extends MeanEstimate {
  /** Counted orders with an exact margin / counted orders; null without any counted order. */
  @OrNull() @NumberWithin(SHARE) readonly coverage!: number | null;
}

/**
 * An interval that stays valid under repeated looks. Its bounds are null where it cannot be computed, and until
 * each arm has its conversions.
 */
export class SequentialInterval {
  @NumberWithin(SHARE) readonly level!: number;
  @OrNull() @FiniteNumber() readonly low!: number | null;
  @OrNull() @FiniteNumber() readonly high!: number | null;
  @OrAbsent() @NonEmptyText(REASON) readonly reason?: string;
}

/** Treatment − control at the end of an interval. */
export class SeriesEffect {
  @OrNull() @FiniteNumber() readonly absolute!: number | null;
  @OrNull() @Nested(() => Interval) readonly confidence_interval!: Interval | null;
  /** The confidence interval may be too narrow for so few and so different conversions in an arm. */
  @Flag() readonly skewed!: boolean;
  @Nested(() => SequentialInterval) readonly sequential!: SequentialInterval;
  @OrAbsent() @NonEmptyText(REASON) readonly reason?: string;
}

/** Treatment − control. */
export class Effect extends SeriesEffect {
  /** Relative to control's mean, by the delta method. */
  @Nested(() => RelativeEstimate) readonly relative!: RelativeEstimate;
  @OrNull() @FiniteNumber() readonly standard_error!: number | null;
  /** Null while an arm has fewer than ten conversions. */
  @OrNull() @Nested(() => AdjustedInterval) readonly adjusted_interval!: AdjustedInterval | null;
  @OrNull() @NumberWithin(SHARE) readonly p_value!: number | null;
  @OneOf(EFFECT_METHODS) readonly method!: (typeof EFFECT_METHODS)[number];
  /** The planned sample size is not reached: do not act upon the fixed interval yet. */
  @Flag() readonly premature!: boolean;
}

/** A number for each arm. */
export class ArmCounts {
  @FiniteNumber({ min: 0 }) readonly control!: number;
  @FiniteNumber({ min: 0 }) readonly treatment!: number;
}

const SAMPLE_RATIO_STATES = ['ok', 'mismatch', 'insufficient'] as const;

/** Whether sessions were divided as planned. */
export class SeriesSampleRatio {
  @OneOf(SAMPLE_RATIO_STATES) readonly state!: (typeof SAMPLE_RATIO_STATES)[number];
  @OrNull() @NumberWithin(SHARE) readonly p_value!: number | null;
  @OrAbsent() @NonEmptyText(REASON) readonly reason?: string;
}

/** Sessions per arm compared with the planned allocation. */
export class SampleRatio extends SeriesSampleRatio {
  /** Fractions of sessions, too. */
  @Nested(() => ArmCounts) readonly expected!: ArmCounts;
  @Nested(() => ArmCounts) readonly observed!: ArmCounts;
  @OrNull() @FiniteNumber({ min: 0 }) readonly chi_square!: number | null;
  /**
   * Stays valid under repeated looks, unlike `p_value`. Of a part, it is corrected for the number of parts, and
   * decides its `state`.
   */
  @OrNull() @NumberWithin(SHARE) readonly always_valid_p_value!: number | null;
}

const POWER_STATES = ['underpowered', 'adequate'] as const;

/** Whether the planned sample is reached, and how large it is per arm. */
export class PowerResults {
  @OneOf(POWER_STATES) readonly state!: (typeof POWER_STATES)[number];
  @FiniteNumber() readonly minimum_detectable_effect!: number;
  @OrNull() @WholeNumber(COUNT) readonly required_sessions_per_arm!: number | null;
  @Nested(() => ArmCounts) readonly observed_sessions_per_arm!: ArmCounts;
  @OrAbsent() @NonEmptyText(REASON) readonly reason?: string;
}

/** `GET /partner-experiments/required-sample`. */
export class RequiredSample {
  @OrNull() @WholeNumber(COUNT) readonly required_sessions_per_arm!: number | null;
  @OrNull() @WholeNumber(COUNT) readonly total_sessions!: number | null;
  /** Null without `daily_sessions`. */
  @OrNull() @FiniteNumber({ min: 0 }) readonly days!: number | null;
  @OrAbsent() @NonEmptyText(REASON) readonly reason?: string;
}
