import { CURRENCY_FORM, currencyOf } from '../management/locale.js';
import { Matching, Nested, NestedList, NonEmptyText, OneOf } from '../validation/decorators.js';
import { OrNull, Readable, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';
import { AMOUNT, AMOUNT_FORM, AnalyticsReport, AskReport } from './report-window.js';

/** What makes the difference of recorded and observed revenue, in the order of answers. */
export const REVENUE_PARTS = [
  'orders_without_event',
  'events_without_order',
  'repeated_events',
  'outside_window',
  'other_amount',
  'adjustments',
  'cancellations',
] as const;
/** One of `REVENUE_PARTS`. */
export type RevenuePart = (typeof REVENUE_PARTS)[number];

const CURRENCIES = { min: 0, max: 1_000 };
const PAGE = { min: 1, max: 200 };
const CURSOR = { max: 512 };
const ALL_PARTS = { min: REVENUE_PARTS.length, max: REVENUE_PARTS.length };

class ObservedOfTrust {
  @WholeNumber(COUNT) readonly events!: number;
  @Matching(AMOUNT, AMOUNT_FORM) readonly amount!: string;
}

class ObservedByTrust {
  @Nested(() => ObservedOfTrust) readonly browser!: ObservedOfTrust;
  @Nested(() => ObservedOfTrust) readonly server!: ObservedOfTrust;
}

class ObservedRevenue extends ObservedOfTrust {
  @Nested(() => ObservedByTrust) readonly by_trust!: ObservedByTrust;
}

class AuthoritativeRevenue {
  /** Purchases in the window. */
  @WholeNumber(COUNT) readonly orders!: number;
  @Matching(AMOUNT, AMOUNT_FORM) readonly amount!: string;
}

/** One part of a difference. */
export class DifferencePart {
  @OneOf(REVENUE_PARTS) readonly part!: RevenuePart;
  @WholeNumber(COUNT) readonly count!: number;
  @Matching(AMOUNT, AMOUNT_FORM) readonly amount!: string;
}

/** Both revenues of one currency, and their difference. */
export class CurrencyRevenue {
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @Nested(() => ObservedRevenue) readonly observed!: ObservedRevenue;
  @Nested(() => AuthoritativeRevenue) readonly authoritative!: AuthoritativeRevenue;
  /** Authoritative less observed: the sum of the parts. */
  @Matching(AMOUNT, AMOUNT_FORM) readonly difference!: string;
  @NestedList(() => DifferencePart, ALL_PARTS) readonly parts!: readonly DifferencePart[];
}

/** `data` of `GET /analytics/revenue`. */
export class RevenueReport extends AnalyticsReport {
  @NestedList(() => CurrencyRevenue, CURRENCIES) readonly currencies!: readonly CurrencyRevenue[];
}

/** An event, an order, or a pair of both, in one part of a difference. */
export class RevenueItem {
  @OrNull() @NonEmptyText({ max: 256 }) readonly order_id!: string | null;
  @OrNull() @Matching(UUID, UUID_FORM) readonly event_id!: string | null;
  @OrNull() @Matching(UUID, UUID_FORM) readonly record_id!: string | null;
  /** Of a pair: the purchase's. */
  @Timestamp() readonly occurred_at!: string;
  /** With the sign that it has in the part. */
  @Matching(AMOUNT, AMOUNT_FORM) readonly amount!: string;
}

/** `data` of `GET /analytics/revenue/items`: a page, newest first. */
export class RevenueItemPage extends AnalyticsReport {
  @NestedList(() => RevenueItem, { min: 0, max: PAGE.max }) readonly items!: readonly RevenueItem[];
  @OrNull() @NonEmptyText(CURSOR) readonly next_cursor!: string | null;
}

/** The message of `list-revenue-items`. */
export class AskRevenueItems extends AskReport {
  @OneOf(REVENUE_PARTS) readonly part!: RevenuePart;
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @WholeNumber(PAGE) readonly limit!: number;
  @OrNull() @NonEmptyText(CURSOR) readonly cursor!: string | null;
}
