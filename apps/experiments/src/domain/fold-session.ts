import {
  type Account,
  addAccounts,
  EMPTY_ACCOUNT,
  EMPTY_SUMS,
  isEmpty,
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
  /** Its contribution to its arm in each hour (start in milliseconds since 1970), by recording time. */
  readonly hours: ReadonlyMap<number, Sums>;
  /** Orders in other currencies than the experiment's, by currency. */
  readonly otherCurrencies: ReadonlyMap<string, bigint>;
}

const HOUR_MS = 3_600_000;
const WITHOUT_ORDERS = sumsOfSession(EMPTY_ACCOUNT);
const NO_ORDERS: ReadonlyMap<string, bigint> = new Map();

/**
 * Folds all records of a session. The result is a function of the set of records, independent of order and
 * repetition, and an arm's sums are the sums of its sessions (docs/decisions/experiments.md).
 */
export function foldSession(session: AssignedSession, records: readonly OrderRecord[]): FoldedSession {
  const start = hourOf(session.assignedAtMs);
  if (records.length === 0) {
    return { account: EMPTY_ACCOUNT, hours: new Map([[start, WITHOUT_ORDERS]]), otherCurrencies: NO_ORDERS };
  }
  const orders = new Map<string, { records: readonly OrderRecord[]; account: Account }>();
  let account = EMPTY_ACCOUNT;
  let before = EMPTY_SUMS;
  const hours = new Map<number, Sums>();
  const byHour = groupBy(distinct(records), ({ recordedAtMs }) => Math.max(start, hourOf(recordedAtMs)));
  for (const hour of [...new Set([start, ...byHour.keys()])].sort((one, other) => one - other)) {
    for (const [conversionId, added] of groupBy(byHour.get(hour) ?? [], (record) => record.conversionId)) {
      const known = orders.get(conversionId) ?? { records: [], account: EMPTY_ACCOUNT };
      const all = [...known.records, ...added].sort((one, other) => one.orderSequence - other.orderSequence);
      const now = accountOfOrder(all, session.window);
      const change = known.account === EMPTY_ACCOUNT ? now : subtractAccounts(now, known.account);
      account = account === EMPTY_ACCOUNT ? change : addAccounts(account, change);
      orders.set(conversionId, { records: all, account: now });
    }
    const sums = sumsOfSession(account);
    const change = before === EMPTY_SUMS ? sums : subtractSums(sums, before);
    if (!isEmpty(change)) hours.set(hour, change);
    before = sums;
  }
  return { account, hours, otherCurrencies: otherCurrenciesOf([...orders.values()]) };
}

/** The difference between the new contribution `next` and the former one `old`, without zeros. */
export function changeOfHours(
  old: ReadonlyMap<number, Sums>,
  next: ReadonlyMap<number, Sums>,
): ReadonlyMap<number, Sums> {
  if (old.size === 0) return next;
  const changes = new Map<number, Sums>();
  for (const hour of new Set([...old.keys(), ...next.keys()])) {
    if (old.get(hour) === next.get(hour)) continue;
    const change = subtractSums(next.get(hour) ?? EMPTY_SUMS, old.get(hour) ?? EMPTY_SUMS);
    if (!isEmpty(change)) changes.set(hour, change);
  }
  return changes;
}

/** The sums over all hours. */
export function totalOf(hours: ReadonlyMap<number, Sums>): Sums {
  const total = new RunningSums();
  for (const sums of hours.values()) total.add(sums);
  return total.sums;
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
    const currency = records[0]?.currency;
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
