import { withoutZone } from './chain-check.js';
import { ORDER_STATES } from './conversion-command.js';
import type { LedgerRow } from './ledger-row.js';
import { LEDGER_ACCOUNTS, type LedgerAccount, type RecordColumn } from './record-seal.js';

/** The state of an order after the records so far. */
interface OrderSums {
  readonly conversionId: string | null;
  readonly currency: string | null;
  sequence: number;
  state: string | null;
  occurredAt: string;
  /** Null for an order without a margin. */
  readonly balances: (string | null)[];
}

const ACCOUNTS = LEDGER_ACCOUNTS.map((account) => ({
  account,
  balance: `${account}_balance` satisfies RecordColumn,
}));
/** The first five sum to zero, and so do the last five (libs/contracts, record-seal.ts). */
const MONEY_ACCOUNTS = LEDGER_ACCOUNTS.slice(0, 5);
const OBSERVED_ACCOUNTS = LEDGER_ACCOUNTS.slice(5);
/** Accounts that must never become negative. */
const NEVER_NEGATIVE = ['receivable', 'commissionable'].map((account) =>
  LEDGER_ACCOUNTS.findIndex((name) => name === account),
);
/** Accounts that only some orders have. */
const OPTIONAL: readonly LedgerAccount[] = ['cost', 'margin'];
const WHOLE_NUMBER = /^-?[1-9]\d*$/;
const STATES = new Map<string | null, string>(Object.entries(ORDER_STATES));
const NOTHING = '0';
/** The sum of ten of them is below 2^53. */
const MAX_EXACT_DIGITS = 14;

/**
 * Adds up every account of every order, and compares each record's balances, type and time with the records
 * before it.
 */
export class OrderCheck {
  private readonly orders = new Map<string, OrderSums>();
  /** Entries that are not zero. */
  entries = 0;

  /** Begins with an order as it was after a record that was verified before: the later of two counts. */
  know(row: LedgerRow): void {
    this.orders.set(`${row.site_id} ${row.order_id}`, {
      conversionId: row.conversion_id,
      currency: row.currency,
      sequence: Number(row.order_sequence),
      state: row.state,
      occurredAt: withoutZone(row.occurred_at),
      balances: ACCOUNTS.map(({ balance }) => row[balance]),
    });
  }

  /** @returns the fault of the row as its order's next one */
  check(row: LedgerRow): string | null {
    const unbalanced = sumsToZero(row);
    if (unbalanced !== null) return unbalanced;
    const key = `${row.site_id} ${row.order_id}`;
    const order = this.orders.get(key) ?? newOrder(row);
    const problem = follows(row, order) ?? this.add(row, order) ?? remains(row, order);
    this.orders.set(key, order);
    return problem;
  }

  get size(): number {
    return this.orders.size;
  }

  /** Adds the row to its order. */
  private add(row: LedgerRow, order: OrderSums): string | null {
    let problem: string | null = null;
    let index = 0;
    for (const { account, balance } of ACCOUNTS) {
      const amount = row[account];
      const sum = plus(order.balances[index] ?? null, amount);
      if (amount !== null && amount !== NOTHING) this.entries += 1;
      order.balances[index] = sum;
      if (row[balance] !== sum) {
        problem ??= `the entries of account ${account} sum to ${sum}, and its balance says ${row[balance]}`;
      }
      index += 1;
    }
    order.sequence += 1;
    order.state = row.state;
    order.occurredAt = withoutZone(row.occurred_at);
    return problem;
  }
}

function newOrder(row: LedgerRow): OrderSums {
  const { conversion_id: conversionId, currency } = row;
  return {
    conversionId,
    currency,
    sequence: 0,
    state: null,
    occurredAt: '',
    balances: ACCOUNTS.map(({ account }) => (OPTIONAL.includes(account) ? null : NOTHING)),
  };
}

/** Most accounts are zero or get no entry: their sum is known. */
function plus(before: string | null, amount: string | null): string | null {
  if (amount === null) return before;
  if (before === null || before === NOTHING) return amount;
  return amount === NOTHING ? before : String(BigInt(before) + BigInt(amount));
}

function sumsToZero(row: LedgerRow): string | null {
  const wrong = LEDGER_ACCOUNTS.find((account) => !isAmount(row[account]));
  if (wrong !== undefined) return `its ${wrong} is ${row[wrong]}, which is no whole number`;
  const money = sum(row, MONEY_ACCOUNTS);
  const observed = sum(row, OBSERVED_ACCOUNTS);
  if (money === NOTHING && observed === NOTHING) return null;
  return `its entries sum to ${money} and ${observed}, and both must be 0`;
}

function isAmount(text: string | null): boolean {
  return text === null || text === NOTHING || WHOLE_NUMBER.test(text);
}

/** Uses doubles where they are exact, which is several times faster. */
function sum(row: LedgerRow, accounts: readonly LedgerAccount[]): string {
  let total = 0;
  for (const account of accounts) {
    const text = row[account];
    if (text === null || text === NOTHING) continue;
    if (text.length > MAX_EXACT_DIGITS) return exactSum(row, accounts);
    total += Number(text);
  }
  return String(total);
}

function exactSum(row: LedgerRow, accounts: readonly LedgerAccount[]): string {
  return String(accounts.reduce((total, account) => total + BigInt(row[account] ?? 0), 0n));
}

/** Whether a record of this type may follow. */
function follows(row: LedgerRow, order: OrderSums): string | null {
  const { event_type: eventType } = row;
  if (row.order_sequence !== String(order.sequence + 1)) {
    return `it is number ${row.order_sequence} of its order, after ${order.sequence}`;
  }
  if (order.state === 'cancelled') return 'its order was cancelled before it';
  if ((eventType === 'purchase') !== (order.sequence === 0)) {
    return order.sequence === 0 ? 'its order has no purchase before it' : 'its order was purchased before';
  }
  if (row.conversion_id !== order.conversionId) {
    return `its conversion is ${row.conversion_id}, and that of its order ${order.conversionId}`;
  }
  if (row.currency !== order.currency) return `it is in ${row.currency}, and its order in ${order.currency}`;
  const state = eventType === 'commission' ? order.state : STATES.get(eventType);
  if (row.state !== state) return `it leaves its order ${row.state}, and must leave it ${state}`;
  const occurredAt = withoutZone(row.occurred_at);
  const advances =
    eventType === 'commission' ? occurredAt === order.occurredAt : occurredAt > order.occurredAt;
  return advances ? null : `it occurred at ${occurredAt}, and its order came to ${order.occurredAt} before`;
}

function remains(row: LedgerRow, order: OrderSums): string | null {
  const below = NEVER_NEGATIVE.find((index) => order.balances[index]?.startsWith('-'));
  if (below !== undefined) return `it leaves ${order.balances[below]} in account ${LEDGER_ACCOUNTS[below]}`;
  if (row.event_type !== 'cancellation') return null;
  const left = order.balances.findIndex((balance) => balance !== null && balance !== NOTHING);
  return left < 0
    ? null
    : `a cancellation leaves ${order.balances[left]} in account ${LEDGER_ACCOUNTS[left]}`;
}
