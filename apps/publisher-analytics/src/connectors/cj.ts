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

/**
 * First by posting date, then by locking date: until it locks, a commission changes without a date of its
 * own.
 */
type DateType = 'Posting' | 'Locking';

interface CjPage {
  readonly dateType: DateType;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly lockedSinceMs: number;
  readonly windowMs: number;
  /** The last commission of the previous answer, if that was incomplete. */
  readonly afterCommissionId: string | null;
}

/** Its API has amounts in dollars and in a currency that it does not name. */
const CURRENCY = 'USD';
const FIELDS = `count payloadComplete maxCommissionId records {
  commissionId original actionStatus validationStatus orderId shopperId
  eventDate postingDate lockingDate saleAmountUsd pubCommissionAmountUsd }`;

/** The Commission Detail API: a GraphQL query, continued by a watermark until `payloadComplete`. */
export const CJ: NetworkConnector = {
  defaultBaseUrl: 'https://commissions.api.cj.com',
  callsPerMinute: 25,
  isChangeTimed: false,
  firstPage: (span) =>
    write({
      dateType: 'Posting',
      fromMs: salesSince(span),
      untilMs: span.untilMs,
      lockedSinceMs: changesSince(span),
      windowMs: WINDOW_DAYS * DAY_MS,
      afterCommissionId: null,
    }),
  request: (page, { publisherId, apiToken }) => ({
    method: 'POST',
    path: '/query',
    headers: {
      authorization: `Bearer ${apiToken}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({ query: queryOf(read(page), publisherId) }),
  }),
  rowsAt: ['data', 'publisherCommissions', 'records'],
  toRow,
  read: (page, rest): NetworkPage | undefined => {
    const data = isJsonObject(rest) && isJsonObject(rest['data']) ? rest['data'] : {};
    const commissions = data['publisherCommissions'];
    if (!isJsonObject(commissions) || !Array.isArray(commissions['records'])) return undefined;
    const { payloadComplete, maxCommissionId } = commissions;
    const at = read(page);
    if (payloadComplete === true) return { next: nextOf(at) };
    // An incomplete answer must name its continuation; otherwise it is truncated.
    if (payloadComplete !== false || typeof maxCommissionId !== 'string') return undefined;
    if (maxCommissionId === at.afterCommissionId) return undefined;
    return { next: write({ ...at, afterCommissionId: maxCommissionId }) };
  },
  narrower: (page) => {
    const at = read(page);
    const windowMs = halfOf(endOf(at) - at.fromMs);
    return windowMs === undefined ? null : write({ ...at, windowMs });
  },
};

function queryOf(page: CjPage, publisherId: string): string {
  const { dateType, fromMs, afterCommissionId } = page;
  const named: Record<string, string> = {
    [`since${dateType}Date`]: secondsOf(fromMs),
    [`before${dateType}Date`]: secondsOf(endOf(page)),
    ...(afterCommissionId === null ? {} : { sinceCommissionId: afterCommissionId }),
  };
  const terms = Object.entries(named).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const publishers = `forPublishers: [${JSON.stringify(publisherId)}]`;
  return `{ publisherCommissions(${[publishers, ...terms].join(', ')}) { ${FIELDS} } }`;
}

/** Each commission is a settlement of its own; a correction reduces its original's earnings. */
function toRow(record: unknown): RawRow {
  if (!isJsonObject(record)) return {};
  const { original, pubCommissionAmountUsd, saleAmountUsd } = record;
  const isCorrection = original === false || isNegative(pubCommissionAmountUsd);
  return {
    provider_transaction_id: record['commissionId'],
    click_reference: record['shopperId'],
    order_reference: record['orderId'],
    status: statusOf(record, isCorrection),
    commissionable_amount: roundedAmount(magnitude(saleAmountUsd), CURRENCY),
    commission_amount: roundedAmount(magnitude(pubCommissionAmountUsd), CURRENCY),
    currency: CURRENCY,
    transaction_at: record['eventDate'],
    updated_at: record['postingDate'],
  };
}

function statusOf(record: Readonly<Record<string, unknown>>, isCorrection: boolean): string {
  if (isCorrection) return NETWORK_STATUSES.cj.corrected;
  if (record['validationStatus'] === 'DECLINED') return 'declined';
  const statuses: Readonly<Record<string, string>> = NETWORK_STATUSES.cj;
  const status = wordOf(record['actionStatus']);
  return statuses[status] ?? status;
}

function isNegative(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('-');
}

function magnitude(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^-/, '') : value;
}

function endOf({ fromMs, untilMs, windowMs }: CjPage): number {
  return Math.min(fromMs + windowMs, untilMs);
}

function nextOf(page: CjPage): string | null {
  const end = endOf(page);
  const whole = { ...page, afterCommissionId: null };
  if (end < page.untilMs) return write({ ...whole, fromMs: end });
  if (page.dateType === 'Locking') return null;
  const { lockedSinceMs: fromMs } = page;
  return write({ ...whole, dateType: 'Locking', fromMs, windowMs: WINDOW_DAYS * DAY_MS });
}

function secondsOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`;
}

function write({ dateType, fromMs, untilMs, lockedSinceMs, windowMs, afterCommissionId }: CjPage): string {
  return JSON.stringify([dateType, fromMs, untilMs, lockedSinceMs, windowMs, afterCommissionId]);
}

/** Our own cursor. */
function read(page: string): CjPage {
  const [dateType, fromMs, untilMs, lockedSinceMs, windowMs, afterCommissionId] = JSON.parse(page) as [
    DateType,
    number,
    number,
    number,
    number,
    string | null,
  ];
  return { dateType, fromMs, untilMs, lockedSinceMs, windowMs, afterCommissionId };
}
