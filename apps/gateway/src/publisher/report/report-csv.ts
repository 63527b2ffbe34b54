import type { CurrencyMeasures, PublisherReport } from '@truetally/contracts/publisher';
import { formatMinor } from '@truetally/kernel';

const HEADER = [
  'start',
  'currency',
  'clicks',
  'settled_orders',
  'commissionable_revenue',
  'commission_approved',
  'commission_pending',
  'commission_declined',
  'reversals_count',
  'reversals_amount',
  'earnings_per_click',
];
const LINE_END = '\r\n';

/**
 * The series, one row per start and currency of the window (RFC 4180). Clicks have no currency and are
 * repeated in each row of their start. Without settlements there is one row per start, with an empty
 * currency.
 */
export function reportCsv({ currencies, series }: PublisherReport): string {
  const codes = currencies.map(({ currency }) => currency);
  const rows = series.flatMap(({ start, clicks, currencies: sums }) => {
    const found = new Map(sums.map((sum) => [sum.currency, sum]));
    if (codes.length === 0)
      return [[start, '', clicks, ...Array.from({ length: HEADER.length - 3 }, () => '')]];
    return codes.map((code) => [start, code, clicks, ...measuresOf(found.get(code), code, clicks)]);
  });
  // No value contains a comma, a quote or a line end.
  return [HEADER, ...rows].map((row) => row.join(',') + LINE_END).join('');
}

function measuresOf(
  sum: CurrencyMeasures | undefined,
  currency: string,
  clicks: number,
): readonly (number | string)[] {
  const zero = formatMinor(0n, currency);
  if (sum === undefined)
    return [0, zero, zero, zero, zero, 0, zero, clicks === 0 ? '' : nothingPerClick(zero)];
  const { settled_orders, commissionable_revenue, commission, reversals, earnings_per_click } = sum;
  const { approved, pending, declined } = commission;
  return [
    settled_orders,
    commissionable_revenue,
    approved,
    pending,
    declined,
    reversals.count,
    reversals.amount,
    earnings_per_click ?? '',
  ];
}

/** With four decimals more than the currency has (interface page, section 8). */
function nothingPerClick(zero: string): string {
  return zero.includes('.') ? `${zero}0000` : `${zero}.0000`;
}
