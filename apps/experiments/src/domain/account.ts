/** What one session has come to: amounts in minor units of the experiment's currency, and numbers of orders. */
export const ACCOUNT_FIELDS = [
  'revenue',
  'gross_profit',
  'commission',
  'contribution',
  'counted_orders',
  'exact_orders',
  'live_orders',
  'ruled_orders',
  'unruled_orders',
  'late_orders',
  'other_currency_orders',
  'refunds',
  'refund_amount',
  'cancellations',
  'cancellation_amount',
] as const;
export type Account = Readonly<Record<(typeof ACCOUNT_FIELDS)[number], bigint>>;

/** What an arm has come to: exact sums over its sessions, and of squares, in minor units (squared). */
export const SUM_FIELDS = [
  'sessions',
  'converted_sessions',
  ...ACCOUNT_FIELDS,
  'revenue_squares',
  'gross_profit_squares',
  'contribution_squares',
] as const;
export type Sums = Readonly<Record<(typeof SUM_FIELDS)[number], bigint>>;

export const EMPTY_ACCOUNT: Account = accountOf(() => 0n);
export const EMPTY_SUMS: Sums = sumsFrom(() => 0n);

export function accountOf(value: (field: keyof Account) => bigint): Account {
  return recordOf(ACCOUNT_FIELDS, value);
}

export function sumsFrom(value: (field: keyof Sums) => bigint): Sums {
  return recordOf(SUM_FIELDS, value);
}

/** Field by field: every fact makes dozens of these, and a list of entries for each would cost several times as much. */
function recordOf<Field extends string>(
  fields: readonly Field[],
  value: (field: Field) => bigint,
): Readonly<Record<Field, bigint>> {
  const record: Partial<Record<Field, bigint>> = {};
  for (const field of fields) record[field] = value(field);
  // Each field was set above.
  return record as Record<Field, bigint>;
}

export function addAccounts(left: Account, right: Account): Account {
  return accountOf((field) => left[field] + right[field]);
}

export function subtractAccounts(left: Account, right: Account): Account {
  return accountOf((field) => left[field] - right[field]);
}

export function addSums(left: Sums, right: Sums): Sums {
  return sumsFrom((field) => left[field] + right[field]);
}

export function subtractSums(left: Sums, right: Sums): Sums {
  return sumsFrom((field) => left[field] - right[field]);
}

export function isEmpty(sums: Sums): boolean {
  return SUM_FIELDS.every((field) => sums[field] === 0n);
}

/** What one session adds to its arm. It is converted while one of its orders is not cancelled. */
export function sumsOfSession(account: Account): Sums {
  return {
    ...account,
    sessions: 1n,
    converted_sessions: account.live_orders > 0n ? 1n : 0n,
    revenue_squares: account.revenue ** 2n,
    gross_profit_squares: account.gross_profit ** 2n,
    contribution_squares: account.contribution ** 2n,
  };
}
