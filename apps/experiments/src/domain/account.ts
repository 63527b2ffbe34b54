/** The totals of one session: amounts in minor units of the experiment's currency, and numbers of orders. */
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

/** Amounts whose moments determine the effects. */
const SUMMED_AMOUNTS = ['revenue', 'gross_profit', 'contribution'] as const;
const CUBES = ['revenue_cubes', 'gross_profit_cubes', 'contribution_cubes'] as const;

/**
 * The totals of an arm in an hour: exact sums and sums of squares over its sessions, in minor units
 * (squared).
 */
export const HOUR_FIELDS = [
  'sessions',
  'converted_sessions',
  ...ACCOUNT_FIELDS,
  'revenue_squares',
  'gross_profit_squares',
  'contribution_squares',
] as const;

/** The totals of an arm, with sums of cubes, from which the skewness is computed. */
export const SUM_FIELDS = [...HOUR_FIELDS, ...CUBES] as const;
export type Sums = Readonly<Record<(typeof SUM_FIELDS)[number], bigint>>;

export const EMPTY_ACCOUNT: Account = zeros(ACCOUNT_FIELDS);
export const EMPTY_SUMS: Sums = zeros(SUM_FIELDS);

function zeros<Field extends string>(fields: readonly Field[]): Readonly<Record<Field, bigint>> {
  // Each field is set.
  return Object.fromEntries(fields.map((field) => [field, 0n])) as Record<Field, bigint>;
}

export function accountOf(value: (field: keyof Account) => bigint): Account {
  return filled(EMPTY_ACCOUNT, ACCOUNT_FIELDS, value);
}

export function sumsFrom(value: (field: keyof Sums) => bigint): Sums {
  return filled(EMPTY_SUMS, SUM_FIELDS, value);
}

/**
 * A copy of a template, field by field: every fact creates some, and objects that grow cost several times as
 * much.
 */
function filled<Field extends string>(
  template: Readonly<Record<Field, bigint>>,
  fields: readonly Field[],
  value: (field: Field) => bigint,
): Readonly<Record<Field, bigint>> {
  const record: Record<Field, bigint> = { ...template };
  for (const field of fields) record[field] = value(field);
  return record;
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

/** Sums that are updated in place: many sessions are added to few of them. */
export class RunningSums {
  private readonly total: Record<keyof Sums, bigint> = { ...EMPTY_SUMS };

  add(change: Sums): this {
    for (const field of SUM_FIELDS) {
      const amount = change[field];
      if (amount !== 0n) this.total[field] += amount;
    }
    return this;
  }

  /** The current sums; later additions change them. */
  get sums(): Sums {
    return this.total;
  }
}

export function isEmpty(sums: Sums): boolean {
  return SUM_FIELDS.every((field) => sums[field] === 0n);
}

export function isSameAccount(left: Account, right: Account): boolean {
  return left === right || ACCOUNT_FIELDS.every((field) => left[field] === right[field]);
}

/**
 * The contribution of one session to its arm. It counts as converted while one of its orders is not
 * cancelled.
 */
export function sumsOfSession(account: Account): Sums {
  const sums: Record<keyof Sums, bigint> = { ...EMPTY_SUMS, ...account, sessions: 1n };
  if (account.live_orders > 0n) sums.converted_sessions = 1n;
  for (const amount of SUMMED_AMOUNTS) {
    const value = account[amount];
    if (value === 0n) continue;
    sums[`${amount}_squares`] = value * value;
    sums[`${amount}_cubes`] = value * value * value;
  }
  return sums;
}
