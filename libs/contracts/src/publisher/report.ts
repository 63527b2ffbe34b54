import { CURRENCY_FORM, currencyOf, timeZoneOf, TIME_ZONE_FORM } from '../management/locale.js';
import { Matching, Nested, NestedList, NonEmptyText, NumberWithin } from '../validation/decorators.js';
import { OneOf, OrAbsent, OrNull, Readable, Text, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, DECIMAL_TEXT, DECIMAL_TEXT_FORM, UUID, UUID_FORM } from '../validation/forms.js';

/** Intervals of the report's series; weeks begin on Monday. */
export const REPORT_INTERVALS = ['day', 'week', 'month'] as const;
/** One of `REPORT_INTERVALS`. */
export type ReportInterval = (typeof REPORT_INTERVALS)[number];

/** Points of a series: ten years of days. */
export const MAX_REPORT_POINTS = 3_660;
/**
 * Sums of a day (or month) and currency that a report may be made of, those of clicks without a currency among them: what it costs,
 * and with some 400 bytes each what its answer holds.
 */
export const MAX_REPORT_SUMS = 15_000;

const ID = { max: 128 };
const DAY = { max: 100 };

/** The message of `read-publisher-report`. Default: the 30 days up to and including today. */
export class ReadReport {
  @NonEmptyText(ID) readonly site_id!: string;
  /** `2026-03-01`: the first day, in the site's time zone. */
  @OrNull() @Text(DAY) readonly from!: string | null;
  /** The day after the last one. */
  @OrNull() @Text(DAY) readonly to!: string | null;
  @OneOf(REPORT_INTERVALS) readonly interval!: ReportInterval;
}

const CURRENCIES = { min: 0, max: 1_000 };
const TOP = { min: 0, max: 1_000 };
const POINTS = { min: 0, max: MAX_REPORT_POINTS };
const CONTENT_ID = { max: 256 };
const DESTINATION = { max: 4_096 };
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** By status; amounts are decimal strings of the currency. */
class CommissionSums {
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly approved!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly pending!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly declined!: string;
}

class Reversals {
  @WholeNumber(COUNT) readonly count!: number;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly amount!: string;
}

/** Amounts are decimal strings of the currency. */
export class CurrencyMeasures {
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  /** Approved and pending ones. */
  @WholeNumber(COUNT) readonly settled_orders!: number;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly commissionable_revenue!: string;
  @Nested(() => CommissionSums) readonly commission!: CommissionSums;
  @Nested(() => Reversals) readonly reversals!: Reversals;
  /** Approved and pending commission by click, of all clicks; with the currency's decimals and four more. */
  @OrNull() @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly earnings_per_click!: string | null;
  /** Why there are no earnings per click. */
  @OrAbsent() @NonEmptyText({ max: 200 }) readonly reason?: string;
}

/** An amount in major units, as decimal text. */
export class CurrencyAmount {
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @Matching(DECIMAL_TEXT, DECIMAL_TEXT_FORM) readonly amount!: string;
}

/** Measures of a content or a destination. Its commission covers approved and pending orders. */
export class ItemMeasures {
  @WholeNumber(COUNT) readonly clicks!: number;
  @WholeNumber(COUNT) readonly settled_orders!: number;
  @NestedList(() => CurrencyAmount, CURRENCIES) readonly commission!: readonly CurrencyAmount[];
}

/** Measures of one content. */
export class ContentMeasures extends ItemMeasures {
  @NonEmptyText(CONTENT_ID) readonly content_id!: string;
}

/** Measures of one destination. */
export class DestinationMeasures extends ItemMeasures {
  @NonEmptyText(DESTINATION) readonly destination!: string;
}

/** The measures of one interval of the report. */
export class ReportPoint {
  /** Start of the day, week or month in the site's time zone: ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly start!: string;
  @WholeNumber(COUNT) readonly clicks!: number;
  @WholeNumber(COUNT) readonly settled_orders!: number;
  @NestedList(() => CurrencyMeasures, CURRENCIES) readonly currencies!: readonly CurrencyMeasures[];
}

/**
 * How settlements match their clicks. Of settlements with a reference, `matched` have a click, and `unmatched_settlements`
 * none. Of clicks with a reference, `clicks_matched` have a settlement and were the first of their reference, and
 * `clicks_repeated` came later. `ambiguous` and `clicks_ambiguous` are 0: the first click owns its reference.
 */
export class ReferenceCorrelation {
  @WholeNumber(COUNT) readonly clicks_with_reference!: number;
  @WholeNumber(COUNT) readonly settlements_with_reference!: number;
  @WholeNumber(COUNT) readonly matched!: number;
  @WholeNumber(COUNT) readonly ambiguous!: number;
  @WholeNumber(COUNT) readonly unmatched_settlements!: number;
  /** `unmatched_settlements` / `settlements_with_reference`; null where there are none. */
  @OrNull() @NumberWithin({ min: 0, max: 1 }) readonly variance!: number | null;
  @WholeNumber(COUNT) readonly clicks_matched!: number;
  @WholeNumber(COUNT) readonly clicks_ambiguous!: number;
  @WholeNumber(COUNT) readonly clicks_repeated!: number;
  @WholeNumber(COUNT) readonly clicks_unmatched!: number;
}

class ReportWindow {
  @Matching(DATE, 'a date') readonly from!: string;
  @Matching(DATE, 'a date') readonly to!: string;
}

/** Every settlement of the window, by status, without exception. */
class SettlementCounts {
  @WholeNumber(COUNT) readonly total!: number;
  @WholeNumber(COUNT) readonly pending!: number;
  @WholeNumber(COUNT) readonly approved!: number;
  @WholeNumber(COUNT) readonly declined!: number;
  @WholeNumber(COUNT) readonly reversed!: number;
}

/** `data` of `GET /analytics/publishers` (interface page, section 8). */
export class PublisherReport {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Nested(() => ReportWindow) readonly window!: ReportWindow;
  @Readable(timeZoneOf, TIME_ZONE_FORM, 'time-zone') readonly timezone!: string;
  @OneOf(REPORT_INTERVALS) readonly interval!: ReportInterval;
  @WholeNumber(COUNT) readonly observed_clicks!: number;
  @WholeNumber(COUNT) readonly settled_orders!: number;
  @Nested(() => SettlementCounts) readonly settlements!: SettlementCounts;
  @NestedList(() => CurrencyMeasures, CURRENCIES) readonly currencies!: readonly CurrencyMeasures[];
  @NestedList(() => ContentMeasures, TOP) readonly top_content!: readonly ContentMeasures[];
  @NestedList(() => DestinationMeasures, TOP) readonly top_destinations!: readonly DestinationMeasures[];
  @Nested(() => ReferenceCorrelation) readonly reference_correlation!: ReferenceCorrelation;
  @NestedList(() => ReportPoint, POINTS) readonly series!: readonly ReportPoint[];
}
