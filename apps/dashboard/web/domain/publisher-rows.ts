import type { CurrencyMeasures, ReportPoint } from '@truetally/node';

export const INTERVALS = ['day', 'week', 'month'] as const;

/** One interval and currency of the report's series, as the CSV has it. */
export interface PublisherRow extends CurrencyMeasures {
  readonly start: string;
  readonly clicks: number;
}

/** One row per start and currency of the window; a currency without facts in an interval has zeros of its own decimals. */
export function publisherRows(
  currencies: readonly CurrencyMeasures[],
  series: readonly ReportPoint[],
): readonly PublisherRow[] {
  return series.flatMap(({ start, clicks, currencies: sums }) =>
    currencies.map((total) => ({
      start,
      clicks,
      ...(sums.find(({ currency }) => currency === total.currency) ?? nothingOf(total, clicks)),
    })),
  );
}

function nothingOf(
  { currency, commissionable_revenue: like }: CurrencyMeasures,
  clicks: number,
): CurrencyMeasures {
  const zero = like.replace('-', '').replaceAll(/^\d+/g, '0').replaceAll(/\d/g, '0');
  return {
    currency,
    settled_orders: 0,
    commissionable_revenue: zero,
    commission: { approved: zero, pending: zero, declined: zero },
    reversals: { count: 0, amount: zero },
    earnings_per_click: clicks === 0 ? null : zero.includes('.') ? `${zero}0000` : `${zero}.0000`,
    ...(clicks === 0 && { reason: 'There were no clicks.' }),
  };
}
