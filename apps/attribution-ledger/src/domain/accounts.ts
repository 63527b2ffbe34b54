import { LEDGER_ACCOUNTS, type LedgerAccount } from '@truetally/contracts/attribution';

/** Minor units on each account of an order; null where the value is unknown (an order without a margin). */
export type Amounts = Readonly<Record<LedgerAccount, bigint | null>> & {
  readonly [account in Exclude<LedgerAccount, 'cost' | 'margin'>]: bigint;
};

export type PostedAmounts = Omit<Amounts, 'memorandum'>;

export const NOTHING: Amounts = {
  receivable: 0n,
  merchandise: 0n,
  discount: 0n,
  tax: 0n,
  shipping: 0n,
  commissionable: 0n,
  cost: null,
  margin: null,
  commission: 0n,
  memorandum: 0n,
};

/** Adds the balancing entries of observed amounts, so that both halves of a record sum to zero. */
export function balanced(posted: PostedAmounts): Amounts {
  const observed = posted.commissionable + (posted.cost ?? 0n) + (posted.margin ?? 0n) + posted.commission;
  return { ...posted, memorandum: -observed };
}

export function add(left: Amounts, right: Amounts): Amounts {
  return mapAccounts((account) => sum(left[account], right[account]));
}

export function negate(amounts: Amounts): Amounts {
  return mapAccounts((account) => {
    const amount = amounts[account];
    return amount === null ? null : -amount;
  });
}

function sum(left: bigint | null, right: bigint | null): bigint | null {
  return left === null && right === null ? null : (left ?? 0n) + (right ?? 0n);
}

function mapAccounts(amountOf: (account: LedgerAccount) => bigint | null): Amounts {
  // Every account that is never null is computed from accounts that are not.
  return Object.fromEntries(LEDGER_ACCOUNTS.map((account) => [account, amountOf(account)])) as Amounts;
}
