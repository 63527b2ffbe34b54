import { type CurrencyRevenue, REVENUE_PARTS, type RevenuePart } from '@truetally/contracts/analytics';
import { formatMinor } from '@truetally/kernel';

interface Observed {
  readonly currency: string;
  readonly isFromServer: boolean;
  readonly events: number;
  readonly amount: bigint;
}

interface Recorded {
  readonly currency: string;
  readonly orders: number;
  readonly amount: bigint;
}

interface Part {
  readonly currency: string;
  readonly part: RevenuePart;
  readonly count: number;
  readonly amount: bigint;
}

/** Sums of a window, in minor units. */
export interface RevenueSums {
  readonly observed: readonly Observed[];
  readonly recorded: readonly Recorded[];
  readonly parts: readonly Part[];
}

/** Every currency with facts, by its code. */
export function presentRevenue({ observed, recorded, parts }: RevenueSums): readonly CurrencyRevenue[] {
  const currencies = new Set([...observed, ...recorded].map(({ currency }) => currency));
  return [...currencies].toSorted().map((currency) => {
    const seen = observed.filter((one) => one.currency === currency);
    const entry = recorded.find((one) => one.currency === currency);
    const amountOf = (sums: readonly { readonly amount: bigint }[]) =>
      sums.reduce((sum, one) => sum + one.amount, 0n);
    const side = (sums: readonly Observed[]) => ({
      events: sums.reduce((sum, one) => sum + one.events, 0),
      amount: formatMinor(amountOf(sums), currency),
    });
    const by_trust = {
      browser: side(seen.filter(({ isFromServer }) => !isFromServer)),
      server: side(seen.filter(({ isFromServer }) => isFromServer)),
    };
    const recordedAmount = entry?.amount ?? 0n;
    return {
      currency,
      observed: { ...side(seen), by_trust },
      authoritative: { orders: entry?.orders ?? 0, amount: formatMinor(recordedAmount, currency) },
      difference: formatMinor(recordedAmount - amountOf(seen), currency),
      parts: REVENUE_PARTS.map((part) => {
        const sum = parts.find((one) => one.currency === currency && one.part === part);
        return { part, count: sum?.count ?? 0, amount: formatMinor(sum?.amount ?? 0n, currency) };
      }),
    };
  });
}

/** One amount per currency, by its code. */
export function presentAmounts(sums: readonly { readonly currency: string; readonly amount: bigint }[]) {
  const amounts = new Map<string, bigint>();
  for (const { currency, amount } of sums) amounts.set(currency, (amounts.get(currency) ?? 0n) + amount);
  return [...amounts]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([currency, amount]) => ({ currency, amount: formatMinor(amount, currency) }));
}
