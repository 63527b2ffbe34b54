import { LEDGER_ACCOUNTS, type LedgerAccount, ORDER_STATES, type RecordColumn } from '@truetally/contracts';
import { withoutZone } from './chain-check.js';
import { type LedgerRow } from './ledger-source.js';

/** What an order's records so far come to. */
interface OrderSums {
  readonly conversionId: string | null;
  readonly currency: string | null;
  sequence: number;
  state: string | null;
  occurredAt: string;
  /** Null where nothing was ever said: an order without a margin. */
  readonly balances: (bigint | null)[];
}

const ACCOUNTS = LEDGER_ACCOUNTS.map((account) => ({
  account,
  balance: `${account}_balance` satisfies RecordColumn,
}));
/** The first five sum to zero, and so do the last five (libs/contracts, record-seal.ts). */
const MONEY_ACCOUNTS = 5;
/** What an order has left can be nothing, and never less. */
const NEVER_NEGATIVE = ['receivable', 'commissionable'].map((account) =>
  LEDGER_ACCOUNTS.findIndex((name) => name === account),
);
/** Said by some orders only. */
const OPTIONAL: readonly LedgerAccount[] = ['cost', 'margin'];
const WHOLE_NUMBER = /^-?\d+$/;

/**
 * Adds up every account of every order, and holds each record's balances, its kind and its time against what came
 * before it.
 */
export class OrderCheck {
  private readonly orders = new Map<string, OrderSums>();
  /** Postings to an account that are not zero. */
  entries = 0;

  /** @returns what is wrong with the row as its order's next one */
  check(row: LedgerRow): string | null {
    const amounts = ACCOUNTS.map(({ account }) => wholeNumber(row[account]));
    const balanced = sumsToZero(amounts);
    if (balanced !== null) return balanced;
    const key = `${row.site_id} ${row.order_id}`;
    const order = this.orders.get(key) ?? newOrder(row);
    const problem = follows(row, order) ?? this.add(row, order, amounts) ?? remains(row, order);
    this.orders.set(key, order);
    return problem;
  }

  get size(): number {
    return this.orders.size;
  }

  /** Adds the row to its order. */
  private add(row: LedgerRow, order: OrderSums, amounts: readonly (bigint | null)[]): string | null {
    let problem: string | null = null;
    for (const [index, { account, balance }] of ACCOUNTS.entries()) {
      const amount = amounts[index] ?? null;
      const before = order.balances[index] ?? null;
      const sum = amount === null ? before : (before ?? 0n) + amount;
      if (amount !== null && amount !== 0n) this.entries += 1;
      order.balances[index] = sum;
      if (row[balance] !== (sum === null ? null : String(sum))) {
        problem ??= `the entries of account ${account} sum to ${sum}, and its balance says ${row[balance]}`;
      }
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
    balances: ACCOUNTS.map(({ account }) => (OPTIONAL.includes(account) ? null : 0n)),
  };
}

/** What is no whole number counts as nothing, so that the sums show it. */
function wholeNumber(text: string | null): bigint | null {
  return text !== null && WHOLE_NUMBER.test(text) ? BigInt(text) : null;
}

function sumsToZero(amounts: readonly (bigint | null)[]): string | null {
  let money = 0n;
  let observed = 0n;
  for (const [index, amount] of amounts.entries()) {
    if (index < MONEY_ACCOUNTS) money += amount ?? 0n;
    else observed += amount ?? 0n;
  }
  if (money === 0n && observed === 0n) return null;
  return `its entries sum to ${money} and ${observed}, and both must be 0`;
}

/** Whether a record of this kind may come now. */
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
  const state = eventType === 'commission' ? order.state : stateAfter(eventType);
  if (row.state !== state) return `it leaves its order ${row.state}, and must leave it ${state}`;
  const occurredAt = withoutZone(row.occurred_at);
  const advances =
    eventType === 'commission' ? occurredAt === order.occurredAt : occurredAt > order.occurredAt;
  return advances ? null : `it occurred at ${occurredAt}, and its order came to ${order.occurredAt} before`;
}

function stateAfter(eventType: string | null): string | undefined {
  return Object.entries(ORDER_STATES).find(([name]) => name === eventType)?.[1];
}

function remains(row: LedgerRow, order: OrderSums): string | null {
  const below = NEVER_NEGATIVE.find((index) => (order.balances[index] ?? 0n) < 0n);
  if (below !== undefined) return `it leaves ${order.balances[below]} in account ${LEDGER_ACCOUNTS[below]}`;
  if (row.event_type !== 'cancellation') return null;
  const left = order.balances.findIndex((balance) => balance !== null && balance !== 0n);
  return left < 0
    ? null
    : `a cancellation leaves ${order.balances[left]} in account ${LEDGER_ACCOUNTS[left]}`;
}
