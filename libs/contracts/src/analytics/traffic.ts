import { EVENT_TYPES } from '../events/event-catalogue.js';
import { CURRENCY_FORM, currencyOf } from '../management/locale.js';
import {
  ListOf,
  MapOf,
  Matching,
  NestedList,
  NonEmptyText,
  NumberWithin,
  OneOf,
} from '../validation/decorators.js';
import { OrNull, Readable, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT } from '../validation/forms.js';
import { oneOf, wholeNumber } from '../validation/rules.js';
import {
  AMOUNT,
  AMOUNT_FORM,
  AnalyticsReport,
  AskReport,
  MAX_SERIES_POINTS,
  SERIES_INTERVALS,
  type SeriesInterval,
} from './report-window.js';

const CURRENCIES = { min: 0, max: 1_000 };
const POINTS = { min: 0, max: MAX_SERIES_POINTS + 1 };
/** Steps of a funnel (interface page, section 9). */
export const FUNNEL_STEPS = { min: 2, max: 8 } as const;
/** From the first step to each later one; a month at most. */
export const FUNNEL_MINUTES = { min: 1, max: 43_200, usual: 1_440 } as const;
/** What the sessions of a funnel can be told apart by: where their longest chain of steps began. */
export const FUNNEL_BREAKDOWNS = ['device', 'provider', 'day'] as const;
/** One of `FUNNEL_BREAKDOWNS`. */
export type FunnelBreakdown = (typeof FUNNEL_BREAKDOWNS)[number];
/** Values of a breakdown, those with the most sessions; the others are shown together. */
export const MAX_BREAKDOWN_VALUES = 400;

/** Revenue of one currency. */
export class RevenueAmount {
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @Matching(AMOUNT, AMOUNT_FORM) readonly amount!: string;
}

/** `data` of `GET /analytics/overview`. */
export class Overview extends AnalyticsReport {
  @WholeNumber(COUNT) readonly events!: number;
  /** Distinct ones. */
  @WholeNumber(COUNT) readonly sessions!: number;
  @MapOf(wholeNumber(COUNT)) readonly by_type!: Readonly<Record<string, number>>;
  @NestedList(() => RevenueAmount, CURRENCIES) readonly observed_revenue!: readonly RevenueAmount[];
  @NestedList(() => RevenueAmount, CURRENCIES) readonly authoritative_revenue!: readonly RevenueAmount[];
}

/** One interval of a series. */
export class TrafficPoint {
  /** The interval's own beginning, also where the window cuts it. */
  @Timestamp() readonly start!: string;
  @WholeNumber(COUNT) readonly events!: number;
  @WholeNumber(COUNT) readonly sessions!: number;
  @MapOf(wholeNumber(COUNT)) readonly by_type!: Readonly<Record<string, number>>;
}

/** `data` of `GET /analytics/timeseries`. */
export class Timeseries extends AnalyticsReport {
  @OneOf(SERIES_INTERVALS) readonly interval!: SeriesInterval;
  @NestedList(() => TrafficPoint, POINTS) readonly series!: readonly TrafficPoint[];
}

/** Sessions that reached a step of a funnel. */
export class FunnelStep {
  @OneOf(EVENT_TYPES) readonly event_type!: string;
  @WholeNumber(COUNT) readonly sessions!: number;
  /** Of the first step's sessions; null at none. */
  @OrNull() @NumberWithin({ min: 0, max: 1 }) readonly share!: number | null;
}

/** The funnel of the sessions with one value. */
export class FunnelPart {
  /** A device, a provider, the beginning of a day; null where it is not known, and for the rest of many. */
  @OrNull() @NonEmptyText({ max: 256 }) readonly value!: string | null;
  @NestedList(() => FunnelStep, FUNNEL_STEPS) readonly steps!: readonly FunnelStep[];
}

/** `data` of `GET /analytics/funnel`. */
export class Funnel extends AnalyticsReport {
  @WholeNumber(FUNNEL_MINUTES) readonly window_minutes!: number;
  @NestedList(() => FunnelStep, FUNNEL_STEPS) readonly steps!: readonly FunnelStep[];
  /** Null where none is asked for. */
  @OrNull()
  @NestedList(() => FunnelPart, { min: 0, max: MAX_BREAKDOWN_VALUES + 1 })
  readonly breakdown!: readonly FunnelPart[] | null;
}

/** The message of `read-timeseries`. */
export class AskTimeseries extends AskReport {
  @OneOf(SERIES_INTERVALS) readonly interval!: SeriesInterval;
}

/** The message of `read-funnel`. */
export class AskFunnel extends AskReport {
  @ListOf(oneOf(EVENT_TYPES), FUNNEL_STEPS) readonly steps!: readonly string[];
  @WholeNumber(FUNNEL_MINUTES) readonly window_minutes!: number;
  @OrNull() @OneOf(FUNNEL_BREAKDOWNS) readonly breakdown!: FunnelBreakdown | null;
}
