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

/** What a gateway refused of one site. */
export interface Refusals {
  /** Their counts are the refused items: received = stored + deduplicated + failed. */
  readonly failed: readonly ReasonCount[];
  readonly requests: readonly StatusCount[];
}

export const NO_REFUSALS: Refusals = Object.freeze({ failed: [], requests: [] });

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

/** The form on the wire: 0 for none, else `[[[code, field, count]…], [[status, count]…]]`. */
export function encodeRefusals({ failed, requests }: Refusals): unknown {
  if (failed.length === 0 && requests.length === 0) return 0;
  return [
    failed.map(({ code, field, count }) => [code, field, count]),
    requests.map(({ status, count }) => [status, count]),
  ];
}

/** Reads that form; undefined for any other value. */
export function readRefusals(value: unknown): Refusals | undefined {
  if (value === 0) return NO_REFUSALS;
  if (!Array.isArray(value)) return undefined;
  const [reasons, statuses] = value as readonly unknown[];
  const failed = readAll(reasons, readReason);
  const requests = readAll(statuses, readStatus);
  return failed === undefined || requests === undefined ? undefined : { failed, requests };
}

function readReason([code, field, count]: readonly unknown[]): ReasonCount | undefined {
  const known = ERROR_CODES.find((one) => one === code);
  if (known === undefined || !isCount(count)) return undefined;
  return field === null || typeof field === 'string' ? { code: known, field, count } : undefined;
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
