import type { Attribution } from '@truetally/contracts/attribution';
import { roundHalfEven } from '@truetally/kernel';
import { type Account, accountOf as accountFrom, EMPTY_ACCOUNT } from './account.js';

/** A record of the ledger from a session's point of view. Amounts are minor units of `currency`. */
export interface OrderRecord {
  readonly recordId: string;
  readonly conversionId: string;
  /** Position in the order, from 1. */
  readonly orderSequence: number;
  readonly eventType: 'purchase' | 'adjustment' | 'cancellation' | 'commission';
  readonly currency: string;
  /** Microseconds since 1970. */
  readonly purchasedAt: bigint;
  /** Milliseconds since 1970. */
  readonly recordedAtMs: number;
  readonly revenueDelta: bigint;
  /** Null when the record has no margin. */
  readonly marginDelta: bigint | null;
  readonly commissionDelta: bigint;
  /** Of the purchase. */
  readonly hasExactMargin: boolean;
  readonly rule: CommissionStanding;
}

/**
 * Whether the order's commission has a rule: no rule was in force for its touches, or it has no touch that
 * counts.
 */
export type CommissionStanding = 'ruled' | 'unruled' | 'untouched';

/** The window of purchases that count for a session: `from` ≤ time < `to`, in microseconds since 1970. */
export interface CountingWindow {
  readonly from: bigint;
  readonly to: bigint;
  /** Of the experiment; ISO 4217. */
  readonly currency: string;
}

/**
 * The contribution of an order to a session: a pure function of its known records, in any order of arrival
 * (interface page, section 7).
 * @param records of one order, ascending by `orderSequence`, without repetitions
 */
export function accountOfOrder(records: readonly OrderRecord[], window: CountingWindow): Account {
  const last = records.at(-1);
  if (last === undefined) return EMPTY_ACCOUNT;
  const refunds = records.filter((record) => record.eventType === 'adjustment' && record.revenueDelta < 0n);
  const cancellations = records.filter(isCancellation);
  return accountOf(
    {
      ...last,
      revenue: sum(records.map((record) => record.revenueDelta)),
      grossProfit: last.hasExactMargin ? remainingMargin(records) : 0n,
      commission: sum(records.map((record) => record.commissionDelta)),
      refunds: BigInt(refunds.length),
      refundAmount: -sum(refunds.map((record) => record.revenueDelta)),
      cancellations: BigInt(cancellations.length),
      cancellationAmount: -sum(cancellations.map((record) => record.revenueDelta)),
    },
    window,
  );
}

/** What is known of an order: the totals of its records, and its last record. */
export interface OrderTotals extends Pick<
  OrderRecord,
  'currency' | 'hasExactMargin' | 'purchasedAt' | 'rule'
> {
  readonly revenue: bigint;
  readonly grossProfit: bigint;
  readonly commission: bigint;
  readonly refunds: bigint;
  readonly refundAmount: bigint;
  readonly cancellations: bigint;
  readonly cancellationAmount: bigint;
}

/** The contribution of an order to a session by its totals: the window and the currency decide what counts. */
export function accountOf(order: OrderTotals, window: CountingWindow): Account {
  if (order.purchasedAt < window.from) return EMPTY_ACCOUNT;
  if (order.purchasedAt >= window.to) return only({ late_orders: 1n });
  const live_orders = order.cancellations > 0n ? 0n : 1n;
  if (order.currency !== window.currency) return only({ live_orders, other_currency_orders: 1n });
  return only({
    revenue: order.revenue,
    gross_profit: order.grossProfit,
    commission: order.commission,
    contribution: order.grossProfit - order.commission,
    counted_orders: 1n,
    exact_orders: order.hasExactMargin ? 1n : 0n,
    live_orders,
    ruled_orders: order.rule === 'ruled' ? 1n : 0n,
    unruled_orders: order.rule === 'unruled' ? live_orders : 0n,
    refunds: order.refunds,
    refund_amount: order.refundAmount,
    cancellations: order.cancellations,
    cancellation_amount: order.cancellationAmount,
  });
}

/** Reasons of docs/decisions/attribution.md with an unknown commission. */
const WITHOUT_RULE: readonly string[] = ['no_commission_rule', 'other_currency'];

/** The commission's standing in the ledger's explanation of an order. */
export function standingOf(attribution: readonly Attribution[]): CommissionStanding {
  const isRuled = attribution.some(
    ({ outcome, reason }) => outcome === 'attributed' || reason === 'other_touch_wins',
  );
  if (isRuled) return 'ruled';
  return attribution.some(({ reason }) => WITHOUT_RULE.includes(reason)) ? 'unruled' : 'untouched';
}

/**
 * An adjustment without a margin reduces it in proportion to revenue. Several in a row are one proportion of
 * the margin before them, so that it is rounded a single time, half to even.
 */
function remainingMargin(records: readonly OrderRecord[]): bigint {
  let revenue = 0n;
  let named = { baseMargin: 0n, baseRevenue: 0n };
  for (const { eventType, revenueDelta, marginDelta } of records) {
    if (eventType === 'cancellation') return 0n;
    if (eventType === 'commission') continue;
    const before = marginAt(named, revenue);
    revenue += revenueDelta;
    if (marginDelta !== null) named = { baseMargin: before + marginDelta, baseRevenue: revenue };
  }
  return marginAt(named, revenue);
}

/** The margin when a record last named it, and the revenue after that record. */
export interface NamedMargin {
  readonly baseMargin: bigint;
  readonly baseRevenue: bigint;
}

/**
 * What a revenue leaves of a named margin. It never exceeds it: revenue that is added says nothing about its
 * margin, and a margin that grew with it would have no bound.
 */
export function marginAt({ baseMargin, baseRevenue }: NamedMargin, revenue: bigint): bigint {
  if (revenue >= baseRevenue) return baseMargin;
  return revenue <= 0n ? 0n : roundHalfEven(baseMargin * revenue, baseRevenue);
}

function isCancellation({ eventType }: OrderRecord): boolean {
  return eventType === 'cancellation';
}

function only(fields: Partial<Account>): Account {
  return accountFrom((field) => fields[field] ?? 0n);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((left, right) => left + right, 0n);
}
