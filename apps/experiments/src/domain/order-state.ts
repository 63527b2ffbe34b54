import { type Account, addAccounts, EMPTY_ACCOUNT, isSameAccount, subtractAccounts } from './account.js';
import { type AssignedSession, hourIn } from './fold-session.js';
import {
  accountOf,
  accountOfOrder,
  type CountingWindow,
  marginAt,
  type NamedMargin,
  type OrderRecord,
} from './order-account.js';

/**
 * An order after its records so far: what the next one needs, so that it costs the same after ten thousand
 * records as after one. Amounts are minor units of `currency`.
 */
export interface OrderState extends NamedMargin {
  readonly lastSequence: number;
  /** The latest hour of its records: start, in milliseconds since 1970. */
  readonly lastHourMs: number;
  /** Of the last record, as are the next three. */
  readonly purchasedAt: bigint;
  readonly currency: string;
  readonly hasExactMargin: boolean;
  readonly rule: OrderRecord['rule'];
  readonly revenue: bigint;
  readonly commission: bigint;
  /** Revenue of which the margin is a share: without records that only change the commission. */
  readonly earningRevenue: bigint;
  readonly refunds: bigint;
  readonly refundAmount: bigint;
  readonly cancellations: bigint;
  readonly cancellationAmount: bigint;
}

/** What records changed about an order. */
export interface OrderChange {
  readonly state: OrderState;
  /** The changes of its account by hour (start in milliseconds since 1970). */
  readonly hours: ReadonlyMap<number, Account>;
  /** Orders in other currencies than the experiment's, by currency: +1 or −1. */
  readonly otherCurrencies: ReadonlyMap<string, bigint>;
}

/**
 * Continues an order by new records. It equals a recomputation (`recomputeOrder`), without the former records.
 * @param known undefined for a new order
 * @param added new records of this order, without repetitions
 * @returns undefined when one of them belongs before a former one: the order must be recomputed
 */
export function continueOrder(
  { assignedAtMs, window }: AssignedSession,
  known: OrderState | undefined,
  added: readonly OrderRecord[],
): OrderChange | undefined {
  const first = contributionOf(known, window);
  let state = known;
  let account = first.account;
  const hours = new Map<number, Account>();
  for (const record of ascending(added)) {
    const hourMs = hourIn(assignedAtMs, record.recordedAtMs);
    if (state !== undefined && (record.orderSequence <= state.lastSequence || hourMs < state.lastHourMs))
      return undefined;
    state = append(state, record, hourMs);
    const next = contributionOf(state, window).account;
    addTo(hours, hourMs, subtractAccounts(next, account));
    account = next;
  }
  if (state === undefined) return undefined;
  return { state, hours, otherCurrencies: currencyChange(first, contributionOf(state, window)) };
}

/** The same from all records of the order. @param isNew which of them are new */
export function recomputeOrder(
  session: AssignedSession,
  records: readonly OrderRecord[],
  isNew: (recordId: string) => boolean,
): OrderChange | undefined {
  const former = records.filter(({ recordId }) => !isNew(recordId));
  const state = stateOf(session, records);
  if (state === undefined) return undefined;
  const hours = new Map(hoursOf(session, records));
  for (const [hourMs, account] of hoursOf(session, former)) {
    addTo(hours, hourMs, subtractAccounts(EMPTY_ACCOUNT, account));
  }
  const [before, now] = [stateOf(session, former), state].map((one) => contributionOf(one, session.window));
  const otherCurrencies = before === undefined || now === undefined ? NOTHING : currencyChange(before, now);
  return { state, hours, otherCurrencies };
}

/** The state of an order by all its records; undefined without any. */
export function stateOf(
  { assignedAtMs }: AssignedSession,
  records: readonly OrderRecord[],
): OrderState | undefined {
  let state: OrderState | undefined;
  for (const record of ascending(records)) {
    state = append(state, record, hourIn(assignedAtMs, record.recordedAtMs));
  }
  return state;
}

/** The changes of an order's account by hour: after each hour it is that of all records until then. */
export function hoursOf(
  { assignedAtMs, window }: AssignedSession,
  records: readonly OrderRecord[],
): ReadonlyMap<number, Account> {
  const byHour = Map.groupBy(records, ({ recordedAtMs }) => hourIn(assignedAtMs, recordedAtMs));
  const hours = new Map<number, Account>();
  let known: readonly OrderRecord[] = [];
  let account = EMPTY_ACCOUNT;
  for (const [hourMs, added] of [...byHour].sort(([one], [other]) => one - other)) {
    known = ascending([...known, ...added]);
    const next = accountOfOrder(known, window);
    addTo(hours, hourMs, subtractAccounts(next, account));
    account = next;
  }
  return hours;
}

const NOTHING: ReadonlyMap<string, bigint> = new Map();

/** The currency in which an order counts among those of other currencies; undefined when it does not. */
export function otherCurrencyOf(state: OrderState, window: CountingWindow): string | undefined {
  const { account, currency } = contributionOf(state, window);
  return account.other_currency_orders === 0n ? undefined : currency;
}

interface Contribution {
  readonly account: Account;
  readonly currency: string;
}

function contributionOf(state: OrderState | undefined, window: CountingWindow): Contribution {
  if (state === undefined) return { account: EMPTY_ACCOUNT, currency: window.currency };
  const grossProfit = state.hasExactMargin ? marginOf(state) : 0n;
  return { account: accountOf({ ...state, grossProfit }, window), currency: state.currency };
}

function currencyChange(before: Contribution, now: Contribution): ReadonlyMap<string, bigint> {
  const changes = new Map<string, bigint>();
  for (const [{ account, currency }, sign] of [
    [before, -1n],
    [now, 1n],
  ] as const) {
    if (account.other_currency_orders === 0n) continue;
    changes.set(currency, (changes.get(currency) ?? 0n) + sign);
  }
  return new Map([...changes].filter(([, count]) => count !== 0n));
}

/** An adjustment without a margin leaves the named margin as it is: its share is computed once, at the end. */
function append(before: OrderState | undefined, record: OrderRecord, hourMs: number): OrderState {
  const known = before ?? EMPTY_ORDER;
  const { eventType, revenueDelta, marginDelta } = record;
  const isEarning = eventType !== 'commission';
  const earningRevenue = known.earningRevenue + (isEarning ? revenueDelta : 0n);
  const base =
    isEarning && marginDelta !== null
      ? { baseMargin: marginAt(known, known.earningRevenue) + marginDelta, baseRevenue: earningRevenue }
      : { baseMargin: known.baseMargin, baseRevenue: known.baseRevenue };
  const isRefund = eventType === 'adjustment' && revenueDelta < 0n;
  const isCancellation = eventType === 'cancellation';
  return {
    lastSequence: record.orderSequence,
    lastHourMs: Math.max(known.lastHourMs, hourMs),
    purchasedAt: record.purchasedAt,
    currency: record.currency,
    hasExactMargin: record.hasExactMargin,
    rule: record.rule,
    revenue: known.revenue + revenueDelta,
    commission: known.commission + record.commissionDelta,
    earningRevenue,
    ...base,
    refunds: known.refunds + (isRefund ? 1n : 0n),
    refundAmount: known.refundAmount - (isRefund ? revenueDelta : 0n),
    cancellations: known.cancellations + (isCancellation ? 1n : 0n),
    cancellationAmount: known.cancellationAmount - (isCancellation ? revenueDelta : 0n),
  };
}

const EMPTY_ORDER: OrderState = {
  lastSequence: 0,
  lastHourMs: 0,
  purchasedAt: 0n,
  currency: '',
  hasExactMargin: false,
  rule: 'untouched',
  revenue: 0n,
  commission: 0n,
  earningRevenue: 0n,
  baseMargin: 0n,
  baseRevenue: 0n,
  refunds: 0n,
  refundAmount: 0n,
  cancellations: 0n,
  cancellationAmount: 0n,
};

function marginOf(state: OrderState): bigint {
  return state.cancellations > 0n ? 0n : marginAt(state, state.earningRevenue);
}

function ascending(records: readonly OrderRecord[]): readonly OrderRecord[] {
  return records.toSorted((one, other) => one.orderSequence - other.orderSequence);
}

function addTo(hours: Map<number, Account>, hourMs: number, change: Account): void {
  const known = hours.get(hourMs);
  const total = known === undefined ? change : addAccounts(known, change);
  if (isSameAccount(total, EMPTY_ACCOUNT)) hours.delete(hourMs);
  else hours.set(hourMs, total);
}
