import type { OrderRecord } from './order-record.js';

/** A position that an order can have: a Postgres integer. */
const POSITION = /^[1-9]\d{0,8}$/;

/** Where the entries after these begin; null when the last of the order is among them. */
export function entryCursor(entries: readonly OrderRecord[], last: OrderRecord): string | null {
  const end = entries.at(-1)?.order_sequence ?? last.order_sequence;
  return end === last.order_sequence ? null : end;
}

/** The position in the order after which a page begins, 0 for the first one; undefined for a cursor that is none of ours. */
export function readEntryCursor(cursor: string | null): number | undefined {
  if (cursor === null) return 0;
  return POSITION.test(cursor) ? Number(cursor) : undefined;
}
