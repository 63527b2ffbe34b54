import { fail, type Result, succeed } from '@truetally/kernel';
import { RecordReader } from '../facts/record-reader.js';

export const REPORT_INTERVALS = ['day', 'week', 'month'] as const;
export type ReportInterval = (typeof REPORT_INTERVALS)[number];

/** Points of a series: ten years of days. */
export const MAX_REPORT_POINTS = 3_660;

/** The message on `publisher-analytics.read-report`. Default: the 30 days up to and including today. */
export interface ReadReport {
  readonly site_id: string;
  /** `2026-03-01`: the first day, in the site's time zone. */
  readonly from: string | null;
  /** The day after the last one. */
  readonly to: string | null;
  readonly interval: ReportInterval;
}

/** Amounts are decimal strings of the currency. */
export interface CurrencyMeasures {
  readonly currency: string;
  /** Approved and pending ones. */
  readonly settled_orders: number;
  readonly commissionable_revenue: string;
  readonly commission: { readonly approved: string; readonly pending: string; readonly declined: string };
  readonly reversals: { readonly count: number; readonly amount: string };
}

export interface CurrencyAmount {
  readonly currency: string;
  readonly amount: string;
}

/** Measures of a content or a destination. Its commission covers approved and pending orders. */
export interface ItemMeasures {
  readonly clicks: number;
  readonly settled_orders: number;
  readonly commission: readonly CurrencyAmount[];
}

export interface ReportPoint {
  /** Start of the day, week or month in the site's time zone: ISO 8601 UTC with milliseconds. */
  readonly start: string;
  readonly clicks: number;
  readonly settled_orders: number;
  readonly currencies: readonly CurrencyMeasures[];
}

/**
 * How settlements match their clicks. Of settlements with a reference, `matched` have one click, `ambiguous`
 * several, and `unmatched_settlements` none. Of clicks with a reference, `clicks_matched` have a settlement
 * and are the only click of their reference.
 */
export interface ReferenceCorrelation {
  readonly clicks_with_reference: number;
  readonly settlements_with_reference: number;
  readonly matched: number;
  readonly ambiguous: number;
  readonly unmatched_settlements: number;
  /** `unmatched_settlements` / `settlements_with_reference`; null where there are none. */
  readonly variance: number | null;
  readonly clicks_matched: number;
  readonly clicks_ambiguous: number;
  readonly clicks_unmatched: number;
}

/** `data` of `GET /analytics/publishers` (interface page, section 8). */
export interface PublisherReport {
  readonly site_id: string;
  readonly window: { readonly from: string; readonly to: string };
  readonly timezone: string;
  readonly interval: ReportInterval;
  readonly observed_clicks: number;
  readonly settled_orders: number;
  /** Every settlement of the window, by status, without exception. */
  readonly settlements: {
    readonly total: number;
    readonly pending: number;
    readonly approved: number;
    readonly declined: number;
    readonly reversed: number;
  };
  readonly currencies: readonly CurrencyMeasures[];
  readonly top_content: readonly (ItemMeasures & { readonly content_id: string })[];
  readonly top_destinations: readonly (ItemMeasures & { readonly destination: string })[];
  readonly reference_correlation: ReferenceCorrelation;
  readonly series: readonly ReportPoint[];
}

/** Reads the message; never throws. */
export function readReportRequest(message: unknown): Result<ReadReport, string> {
  const reader = RecordReader.from(message);
  if (reader === undefined) return fail('not an object');
  const request: ReadReport = {
    site_id: reader.text('site_id'),
    from: reader.textOrNull('from'),
    to: reader.textOrNull('to'),
    interval: reader.oneOf('interval', REPORT_INTERVALS) ?? 'day',
  };
  const faults = reader.faultsWith();
  return faults.length === 0 ? succeed(request) : fail(`unreadable: ${faults.join(', ')}`);
}
