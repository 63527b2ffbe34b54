import { TRUST_CLASSES, type TrustClass } from '../credentials/trust.js';
import { ERROR_CODES, type ErrorCode } from '../http/failures.js';

/** Items of requests that were refused for one reason. */
export interface ReasonCount {
  readonly code: ErrorCode;
  /** The first broken field's path, from the event's root and without indexes; null where no field is named. */
  readonly field: string | null;
  readonly count: number;
}

/** Requests that were refused whole with one HTTP status: their events were never counted. */
export interface StatusCount {
  readonly status: number;
  readonly count: number;
}

/** One refused item, or one request refused whole, for the trail (interface page, section 9). It has nothing of a content. */
export interface RefusedItem {
  readonly requestId: string;
  /** Place in the batch; null for a single event and for a request refused whole. */
  readonly index: number | null;
  /** Null where the client gave no valid one. */
  readonly eventType: string | null;
  readonly clientEventId: string | null;
  /** Null where the request had no valid credential. */
  readonly trust: TrustClass | null;
  readonly code: ErrorCode;
  /** The first broken field's path, as in `ReasonCount`. */
  readonly field: string | null;
  /** The rule that it breaks, in words without a value. */
  readonly rule: string | null;
  /** The HTTP status of a request refused whole; null for an item. */
  readonly status: number | null;
}

/** What a gateway refused of one site. */
export interface Refusals {
  /** Their counts are the refused items: received = stored + deduplicated + failed. */
  readonly failed: readonly ReasonCount[];
  readonly requests: readonly StatusCount[];
  /** Each of them, but for those that a gateway under a flood no longer kept. */
  readonly items: readonly RefusedItem[];
}

export const NO_REFUSALS: Refusals = Object.freeze({ failed: [], requests: [], items: [] });

/** Number of refused items. */
export function failedItems({ failed }: Refusals): number {
  let items = 0;
  for (const { count } of failed) items += count;
  return items;
}

/** Counts reasons: equal ones once, in the order in which they came. */
export function countReasons(reasons: readonly Omit<ReasonCount, 'count'>[]): readonly ReasonCount[] {
  const counts = new Map<string, ReasonCount>();
  for (const { code, field } of reasons) {
    const name = `${code} ${field ?? ''}`;
    counts.set(name, { code, field, count: (counts.get(name)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/**
 * The form on the wire: 0 for none, else `[[[code, field, count]…], [[status, count]…], [item…]]`, where an item is its
 * fields in the order of `RefusedItem`.
 */
export function encodeRefusals({ failed, requests, items }: Refusals): unknown {
  if (failed.length === 0 && requests.length === 0 && items.length === 0) return 0;
  return [
    failed.map(({ code, field, count }) => [code, field, count]),
    requests.map(({ status, count }) => [status, count]),
    items.map((item) => [
      item.requestId,
      item.index,
      item.eventType,
      item.clientEventId,
      item.trust,
      item.code,
      item.field,
      item.rule,
      item.status,
    ]),
  ];
}

/** Reads that form; undefined for any other value. */
export function readRefusals(value: unknown): Refusals | undefined {
  if (value === 0) return NO_REFUSALS;
  if (!Array.isArray(value)) return undefined;
  const [reasons, statuses, rows] = value as readonly unknown[];
  const failed = readAll(reasons, readReason);
  const requests = readAll(statuses, readStatus);
  const items = readAll(rows, readItem);
  if (failed === undefined || requests === undefined || items === undefined) return undefined;
  return { failed, requests, items };
}

function readItem(row: readonly unknown[]): RefusedItem | undefined {
  const [requestId, index, eventType, clientEventId, trust] = row;
  const [code, field, rule, status] = row.slice(5);
  const knownCode = ERROR_CODES.find((one) => one === code);
  const knownTrust = trust === null ? null : TRUST_CLASSES.find((one) => one === trust);
  if (typeof requestId !== 'string' || knownCode === undefined || knownTrust === undefined) return undefined;
  if (!isTextOrNull(eventType) || !isTextOrNull(clientEventId)) return undefined;
  if (!isTextOrNull(field) || !isTextOrNull(rule)) return undefined;
  if (!isCountOrNull(index) || !isCountOrNull(status)) return undefined;
  return {
    requestId,
    index,
    eventType,
    clientEventId,
    trust: knownTrust,
    code: knownCode,
    field,
    rule,
    status,
  };
}

function readReason([code, field, count]: readonly unknown[]): ReasonCount | undefined {
  const known = ERROR_CODES.find((one) => one === code);
  if (known === undefined || !isCount(count)) return undefined;
  return isTextOrNull(field) ? { code: known, field, count } : undefined;
}

function readStatus([status, count]: readonly unknown[]): StatusCount | undefined {
  return isCount(status) && isCount(count) ? { status, count } : undefined;
}

function readAll<Item>(
  value: unknown,
  read: (row: readonly unknown[]) => Item | undefined,
): readonly Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.map((row) => (Array.isArray(row) ? read(row) : undefined));
  return items.every((item) => item !== undefined) ? items : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isCountOrNull(value: unknown): value is number | null {
  return value === null || isCount(value);
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
