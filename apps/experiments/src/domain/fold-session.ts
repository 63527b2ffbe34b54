import {
  type Account,
  addAccounts,
  addSums,
  EMPTY_ACCOUNT,
  EMPTY_SUMS,
  isEmpty,
  isSameAccount,
  RunningSums,
  subtractAccounts,
  subtractSums,
  type Sums,
  sumsOfSession,
} from './account.js';
import { accountOfOrder, type CountingWindow, type OrderRecord } from './order-account.js';

/** An assigned session, from its fact. */
export interface AssignedSession {
  /** Milliseconds since 1970. */
  readonly assignedAtMs: number;
  readonly window: CountingWindow;
}

export interface FoldedSession {
  /** Its totals over all records. */
  readonly account: Account;
  /** The changes of its totals in each hour, without zeros. */
  readonly accounts: ReadonlyMap<number, Account>;
  /** Its contribution to its arm in each hour (start in milliseconds since 1970), by recording time. */
  readonly hours: ReadonlyMap<number, Sums>;
  /** Orders in other currencies than the experiment's, by currency. */
  readonly otherCurrencies: ReadonlyMap<string, bigint>;
}

const HOUR_MS = 3_600_000;
const WITHOUT_ORDERS = sumsOfSession(EMPTY_ACCOUNT);
const NO_ORDERS: ReadonlyMap<string, bigint> = new Map();
const NO_ACCOUNTS: FoldedSession['accounts'] = new Map();

/**
 * Folds all records of a session. The result is a function of the set of records, independent of order and
 * repetition, and an arm's sums are the sums of its sessions (docs/decisions/experiments.md).
 */
export function foldSession(session: AssignedSession, records: readonly OrderRecord[]): FoldedSession {
  const start = hourOf(session.assignedAtMs);
  if (records.length === 0) {
    return {
      account: EMPTY_ACCOUNT,
      accounts: NO_ACCOUNTS,
      hours: new Map([[start, WITHOUT_ORDERS]]),
      otherCurrencies: NO_ORDERS,
    };
  }
  const orders = new Map<string, { records: readonly OrderRecord[]; account: Account }>();
  let account = EMPTY_ACCOUNT;
  let before = EMPTY_SUMS;
  const hours = new Map<number, Sums>();
  const accounts = new Map<number, Account>();
  const byHour = groupBy(distinct(records), ({ recordedAtMs }) => hourIn(session.assignedAtMs, recordedAtMs));
  for (const hour of [...new Set([start, ...byHour.keys()])].sort((one, other) => one - other)) {
    const former = account;
    for (const [conversionId, added] of groupBy(byHour.get(hour) ?? [], (record) => record.conversionId)) {
      const known = orders.get(conversionId) ?? { records: [], account: EMPTY_ACCOUNT };
      const all = [...known.records, ...added].sort((one, other) => one.orderSequence - other.orderSequence);
      const now = accountOfOrder(all, session.window);
      const change = known.account === EMPTY_ACCOUNT ? now : subtractAccounts(now, known.account);
      account = account === EMPTY_ACCOUNT ? change : addAccounts(account, change);
      orders.set(conversionId, { records: all, account: now });
    }
    if (!isSameAccount(account, former)) accounts.set(hour, subtractAccounts(account, former));
    const sums = sumsOfSession(account);
    const change = before === EMPTY_SUMS ? sums : subtractSums(sums, before);
    if (!isEmpty(change)) hours.set(hour, change);
    before = sums;
  }
  return { account, accounts, hours, otherCurrencies: otherCurrenciesOf([...orders.values()]) };
}

/** What its orders' records change of a session. */
export interface SessionChange {
  /** Of its contribution to its arm, by hour, without zeros. */
  readonly hours: ReadonlyMap<number, Sums>;
  readonly otherCurrencies: ReadonlyMap<string, bigint>;
}

/**
 * The change of a session's contribution when its totals change. A contribution has squares, so that a change in
 * one hour also changes what the later hours add.
 * @param account its totals before the change
 * @param known the changes of its totals by hour before, at least since the first changed hour
 * @param changes of its totals, by hour
 */
export function changeOfHours(
  account: Account,
  known: ReadonlyMap<number, Account>,
  changes: ReadonlyMap<number, Account>,
): ReadonlyMap<number, Sums> {
  const first = Math.min(...changes.keys());
  const later = [...known].filter(([hourMs]) => hourMs >= first);
  let before = later.reduce((left, [, change]) => subtractAccounts(left, change), account);
  let now = before;
  let [sumsBefore, sumsNow] = [sumsOfSession(before), sumsOfSession(now)];
  const hours = new Map<number, Sums>();
  const all = new Set([...later.map(([hourMs]) => hourMs), ...changes.keys()]);
  for (const hourMs of [...all].sort((one, other) => one - other)) {
    before = addAccounts(before, known.get(hourMs) ?? EMPTY_ACCOUNT);
    now = addAccounts(
      addAccounts(now, known.get(hourMs) ?? EMPTY_ACCOUNT),
      changes.get(hourMs) ?? EMPTY_ACCOUNT,
    );
    const [nextBefore, nextNow] = [sumsOfSession(before), sumsOfSession(now)];
    const change = subtractSums(subtractSums(nextNow, sumsNow), subtractSums(nextBefore, sumsBefore));
    if (!isEmpty(change)) hours.set(hourMs, change);
    [sumsBefore, sumsNow] = [nextBefore, nextNow];
  }
  return hours;
}

/** The contribution of a session without orders: it counts from the hour of its assignment on. */
export function newSession({ assignedAtMs }: AssignedSession): SessionChange {
  return { hours: new Map([[hourOf(assignedAtMs), WITHOUT_ORDERS]]), otherCurrencies: NO_ORDERS };
}

/**
 * All that a session adds to its arm.
 * @param hours the changes of its totals
 */
export function contributionOf(
  session: AssignedSession,
  hours: ReadonlyMap<number, Account>,
): ReadonlyMap<number, Sums> {
  const whole = new Map(newSession(session).hours);
  for (const [hourMs, change] of changeOfHours(EMPTY_ACCOUNT, NO_ACCOUNTS, hours)) {
    const before = whole.get(hourMs);
    whole.set(hourMs, before === undefined ? change : addSums(before, change));
  }
  return whole;
}

/** The sums over all hours. */
export function totalOf(hours: ReadonlyMap<number, Sums>): Sums {
  const total = new RunningSums();
  for (const sums of hours.values()) total.add(sums);
  return total.sums;
}

/** The hour in which a record counts: never before its session. */
export function hourIn(assignedAtMs: number, recordedAtMs: number): number {
  return Math.max(hourOf(assignedAtMs), hourOf(recordedAtMs));
}

function hourOf(epochMs: number): number {
  return Math.floor(epochMs / HOUR_MS) * HOUR_MS;
}

function distinct(records: readonly OrderRecord[]): readonly OrderRecord[] {
  return [...new Map(records.map((record) => [record.recordId, record])).values()];
}

function otherCurrenciesOf(
  orders: readonly { readonly records: readonly OrderRecord[]; readonly account: Account }[],
): ReadonlyMap<string, bigint> {
  const counts = new Map<string, bigint>();
  for (const { records, account } of orders) {
    const currency = records.at(-1)?.currency;
    if (currency === undefined || account.other_currency_orders === 0n) continue;
    counts.set(currency, (counts.get(currency) ?? 0n) + account.other_currency_orders);
  }
  return counts;
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
