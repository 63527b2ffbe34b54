import { NETWORK_STATUSES, roundedAmount } from '@truetally/contracts/publisher';
import { isJsonObject } from '@truetally/contracts/validation';
import type { RawRow } from '../domain/read-settlement-row.js';
import {
  changesSince,
  DAY_MS,
  halfOf,
  type NetworkConnector,
  type NetworkPage,
  salesSince,
  wordOf,
  WINDOW_DAYS,
} from './network-connector.js';

/** First by the time of the sale, then by the time of validation, which may be months later. */
type DateType = 'transaction' | 'validation';

interface AwinPage {
  readonly dateType: DateType;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly validatedSinceMs: number;
  readonly windowMs: number;
}

/** `GET /publishers/{id}/transactions/`: windows of at most 31 days, 20 calls a minute, times without an offset. */
export const AWIN: NetworkConnector = {
  defaultBaseUrl: 'https://api.awin.com',
  callsPerMinute: 20,
  isChangeTimed: false,
  firstPage: (span) =>
    write({
      dateType: 'transaction',
      fromMs: salesSince(span),
      untilMs: span.untilMs,
      validatedSinceMs: changesSince(span),
      windowMs: WINDOW_DAYS * DAY_MS,
    }),
  request: (page, { publisherId, apiToken }) => {
    const at = read(page);
    const query = new URLSearchParams({
      startDate: secondsOf(at.fromMs),
      endDate: secondsOf(endOf(at)),
      timezone: 'UTC',
      dateType: at.dateType,
    });
    return {
      method: 'GET',
      path: `/publishers/${encodeURIComponent(publisherId)}/transactions/?${query.toString()}`,
      headers: { authorization: `Bearer ${apiToken}`, accept: 'application/json' },
    };
  },
  rowsAt: [],
  toRow,
  read: (page, rest): NetworkPage | undefined =>
    Array.isArray(rest) ? { next: nextOf(read(page)) } : undefined,
  narrower: (page) => {
    const at = read(page);
    const windowMs = halfOf(endOf(at) - at.fromMs);
    return windowMs === undefined ? null : write({ ...at, windowMs });
  },
};

function toRow(transaction: unknown): RawRow {
  if (!isJsonObject(transaction)) return {};
  const { commissionAmount, saleAmount, clickRefs, commissionStatus } = transaction;
  const commission = isJsonObject(commissionAmount) ? commissionAmount : {};
  const sale = isJsonObject(saleAmount) ? saleAmount : {};
  const { currency } = commission;
  const statuses: Readonly<Record<string, string>> = NETWORK_STATUSES.awin;
  const status = wordOf(commissionStatus);
  return {
    provider_transaction_id: transaction['id'],
    click_reference: isJsonObject(clickRefs) ? clickRefs['clickRef'] : null,
    order_reference: transaction['orderRef'],
    status: statuses[status] ?? status,
    // An amount in another currency than the commission cannot be stored with it.
    commissionable_amount: sale['currency'] === currency ? roundedAmount(sale['amount'], currency) : null,
    commission_amount: roundedAmount(commission['amount'], currency),
    currency,
    transaction_at: withOffset(transaction['transactionDate']),
    updated_at: withOffset(transaction['validationDate'] ?? transaction['transactionDate']),
  };
}

/** Times are in the requested zone, without an offset. */
function withOffset(value: unknown): unknown {
  return typeof value === 'string' && /T[\d:.]+$/.test(value) ? `${value}Z` : value;
}

function endOf({ fromMs, untilMs, windowMs }: AwinPage): number {
  return Math.min(fromMs + windowMs, untilMs);
}

function nextOf(page: AwinPage): string | null {
  const end = endOf(page);
  if (end < page.untilMs) return write({ ...page, fromMs: end });
  if (page.dateType === 'validation') return null;
  const { validatedSinceMs: fromMs } = page;
  return write({ ...page, dateType: 'validation', fromMs, windowMs: WINDOW_DAYS * DAY_MS });
}

function secondsOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length);
}

function write({ dateType, fromMs, untilMs, validatedSinceMs, windowMs }: AwinPage): string {
  return JSON.stringify([dateType, fromMs, untilMs, validatedSinceMs, windowMs]);
}

/** Our own cursor. */
function read(page: string): AwinPage {
  const [dateType, fromMs, untilMs, validatedSinceMs, windowMs] = JSON.parse(page) as [
    DateType,
    number,
    number,
    number,
    number,
  ];
  return { dateType, fromMs, untilMs, validatedSinceMs, windowMs };
}
