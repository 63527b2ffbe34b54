import type { OrderRecord } from './order-record.js';

/** A valid position in an order: a Postgres integer. */
const POSITION = /^[1-9]\d{0,8}$/;

/** The cursor after these entries; null when they include the order's last one. */
export function entryCursor(entries: readonly OrderRecord[], last: OrderRecord): string | null {
  const end = entries.at(-1)?.order_sequence ?? last.order_sequence;
  return end === last.order_sequence ? null : end;
}

/** The position after which a page starts, 0 for the first one; undefined for an invalid cursor. */
export function readEntryCursor(cursor: string | null): number | undefined {
  if (cursor === null) return 0;
  return POSITION.test(cursor) ? Number(cursor) : undefined;
}
