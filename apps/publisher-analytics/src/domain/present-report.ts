import type {
  CurrencyAmount,
  CurrencyMeasures,
  PublisherReport,
  ReferenceCorrelation,
  ReportInterval,
  ReportPoint,
} from '@truetally/contracts/publisher';
import { beginningOf, type Calendar, type Day, formatInstant, formatMinor } from '@truetally/kernel';
import { earningsPerClick } from './earnings-per-click.js';
import { NO_CURRENCY, TOTAL_MEASURES, type TotalMeasure } from './report-changes.js';
import { beginningsIn, type ReportWindow } from './report-window.js';

/** Sums of some days in one currency; those of clicks have none. */
export interface TotalSum {
  readonly start: Day;
  readonly currency: string;
  readonly measures: Readonly<Record<TotalMeasure, bigint>>;
}

/** The sums of one content or destination in the window. */
export interface ItemSum {
  readonly name: string;
  readonly clicks: bigint;
  readonly orders: bigint;
  /** Minor units by currency, in the order of codes. */
  readonly commission: readonly { readonly currency: string; readonly amount: bigint }[];
}

export interface ReportSums {
  readonly siteId: string;
  /** As requested. */
  readonly asked: { readonly from: string; readonly to: string };
  readonly interval: ReportInterval;
  readonly totals: readonly TotalSum[];
  readonly topContent: readonly ItemSum[];
  readonly topDestinations: readonly ItemSum[];
  /** Of the same totals. */
  readonly series: readonly ReportPoint[];
}

/** Of the process: between two pauses, so many sums are presented. */
const SUMS_PER_TURN = 500;

/** The report's answer. Its totals are the sums of its series, so that nothing is counted twice or left out. */
export function presentReport(sums: ReportSums, calendar: Calendar): PublisherReport {
  const { siteId, asked, interval, totals } = sums;
  const all = addUp(totals);
  const overall = mergeCurrencies(all);
  const itemOf = ({ clicks, orders, commission }: ItemSum) => ({
    clicks: Number(clicks),
    settled_orders: Number(orders),
    commission: commission.map(presentAmount),
  });
  return {
    site_id: siteId,
    window: asked,
    timezone: calendar.timeZone,
    interval,
    observed_clicks: Number(overall.clicks),
    settled_orders: settledOrders(overall),
    settlements: statusCounts(overall),
    currencies: presentCurrencies(all, overall.clicks),
    top_content: sums.topContent.map((item) => ({ content_id: item.name, ...itemOf(item) })),
    top_destinations: sums.topDestinations.map((item) => ({ destination: item.name, ...itemOf(item) })),
    reference_correlation: correlation(overall),
    series: sums.series,
  };
}

type Measures = Readonly<Record<TotalMeasure, bigint>>;
type ByCurrency = ReadonlyMap<string, Measures>;

const NOTHING = Object.fromEntries(TOTAL_MEASURES.map((name) => [name, 0n])) as Measures;

/** Most series have one sum per currency and point, which is passed on as it is. */
function addUp(totals: readonly TotalSum[]): ByCurrency {
  const sums = new Map<string, Measures>();
  for (const { currency, measures } of totals) {
    const sum = sums.get(currency);
    sums.set(currency, sum === undefined ? measures : added(sum, measures));
  }
  return sums;
}

function added(left: Measures, right: Measures): Measures {
  const sum = { ...left };
  for (const name of TOTAL_MEASURES) sum[name] += right[name];
  return sum;
}

/** Only for counts: amounts of different currencies are never added. */
function mergeCurrencies(sums: ByCurrency): Measures {
  return [...sums.values()].reduce(added, NOTHING);
}

/** Of all currencies; adding up all measures of each point costs ten times as much. */
function countIn(sums: ByCurrency, countOf: (measures: Measures) => bigint): bigint {
  let count = 0n;
  for (const measures of sums.values()) count += countOf(measures);
  return count;
}

function settledOrders({ approved_count, pending_count }: Measures): number {
  return Number(approved_count + pending_count);
}

function statusCounts(measures: Measures): PublisherReport['settlements'] {
  const [pending, approved, declined, reversed] = [
    Number(measures.pending_count),
    Number(measures.approved_count),
    Number(measures.declined_count),
    Number(measures.reversed_count),
  ];
  return { total: pending + approved + declined + reversed, pending, approved, declined, reversed };
}

function correlation(measures: Measures): ReferenceCorrelation {
  const { clicks, clicks_matched, clicks_repeated, with_reference, matched } = measures;
  const unmatched = Number(with_reference - matched);
  return {
    clicks_with_reference: Number(clicks),
    settlements_with_reference: Number(with_reference),
    matched: Number(matched),
    ambiguous: 0,
    unmatched_settlements: unmatched,
    variance: with_reference === 0n ? null : unmatched / Number(with_reference),
    clicks_matched: Number(clicks_matched),
    clicks_ambiguous: 0,
    clicks_repeated: Number(clicks_repeated),
    clicks_unmatched: Number(clicks - clicks_matched - clicks_repeated),
  };
}

/** @param clicks in whatever currency they earn */
function presentCurrencies(sums: ByCurrency, clicks: bigint): readonly CurrencyMeasures[] {
  return [...sums]
    .filter(([currency, measures]) => currency !== NO_CURRENCY && statusCounts(measures).total > 0)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([currency, measures]) => ({
      currency,
      settled_orders: settledOrders(measures),
      commissionable_revenue: formatMinor(measures.commissionable, currency),
      commission: {
        approved: formatMinor(measures.approved_commission, currency),
        pending: formatMinor(measures.pending_commission, currency),
        declined: formatMinor(measures.declined_commission, currency),
      },
      reversals: {
        count: Number(measures.reversed_count),
        amount: formatMinor(measures.reversed_commission, currency),
      },
      ...earningsPerClick(measures.approved_commission + measures.pending_commission, clicks, currency),
    }));
}

/** @param pause lets others have their turns: a series of years takes some tens of milliseconds */
export async function presentSeries(
  { totals, window, interval }: Pick<ReportSums, 'interval' | 'totals'> & { readonly window: ReportWindow },
  calendar: Calendar,
  pause: () => Promise<unknown>,
): Promise<readonly ReportPoint[]> {
  const buckets = new Map<Day, TotalSum[]>();
  for (const total of totals) {
    const beginning = beginningOf(total.start, interval);
    const bucket = buckets.get(beginning);
    if (bucket === undefined) buckets.set(beginning, [total]);
    else bucket.push(total);
  }
  const points: ReportPoint[] = [];
  let presented = 0;
  for (const beginning of beginningsIn(window, interval)) {
    const bucket = buckets.get(beginning) ?? [];
    const sums = addUp(bucket);
    const clicks = countIn(sums, (measures) => measures.clicks);
    points.push({
      start: formatInstant(calendar.startOf(beginning)),
      clicks: Number(clicks),
      settled_orders: Number(
        countIn(sums, ({ approved_count, pending_count }) => approved_count + pending_count),
      ),
      currencies: presentCurrencies(sums, clicks),
    });
    presented += 1 + bucket.length;
    if (presented < SUMS_PER_TURN) continue;
    presented = 0;
    await pause();
  }
  return points;
}

function presentAmount({
  currency,
  amount,
}: {
  readonly currency: string;
  readonly amount: bigint;
}): CurrencyAmount {
  return { currency, amount: formatMinor(amount, currency) };
}
