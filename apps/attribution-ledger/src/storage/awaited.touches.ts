import type { ClientBase, Pool } from 'pg';
import { type Entry, type Order, orderKey, unmatchedOf } from '../domain/order.js';

/** An order, by its names. */
export interface OrderName {
  readonly siteId: string;
  readonly orderId: string;
}

/**
 * Remembers which orders wait for which touches, and forgets what waits no more: how a touch that comes finds its
 * orders. What was matched stands in the records; this is only the way to it.
 */
export async function keepAwaited(client: ClientBase, entries: readonly Entry[]): Promise<void> {
  const added = new Rows();
  const removed = new Rows();
  for (const { eventType, order } of entries) {
    if (eventType === 'purchase') added.add(order, unmatchedOf(order.attribution));
    else removed.add(order, settledOf(order));
  }
  if (added.touchIds.length > 0) {
    await client.query({ name: 'await-touches', text: AWAIT_TOUCHES, values: added.values() });
  }
  if (removed.touchIds.length > 0) {
    await client.query({ name: 'forget-awaited', text: FORGET_AWAITED, values: removed.values() });
  }
}

const AWAIT_TOUCHES = `
  insert into awaited_touches (site_id, order_id, touch_id) select * from unnest($1::uuid[], $2::text[], $3::text[])`;
const FORGET_AWAITED = `
  delete from awaited_touches awaited
  using unnest($1::uuid[], $2::text[], $3::text[]) as settled (site_id, order_id, touch_id)
  where awaited.site_id = settled.site_id and awaited.touch_id = settled.touch_id
    and awaited.order_id = settled.order_id`;

/** Those that were matched; after a cancellation nothing is waited for. */
function settledOf(order: Order): readonly string[] {
  if (order.state === 'cancelled') return order.touchIds;
  const unmatched = new Set(unmatchedOf(order.attribution));
  return order.touchIds.filter((touchId) => !unmatched.has(touchId));
}

class Rows {
  readonly siteIds: string[] = [];
  readonly orderIds: string[] = [];
  readonly touchIds: string[] = [];

  add({ siteId, orderId }: Order, touchIds: readonly string[]): void {
    for (const touchId of touchIds) {
      this.siteIds.push(siteId);
      this.orderIds.push(orderId);
      this.touchIds.push(touchId);
    }
  }

  values(): string[][] {
    return [this.siteIds, this.orderIds, this.touchIds];
  }
}

/** The orders that wait for any of these touches, which have come. */
export async function ordersAwaiting(
  pool: Pool,
  touches: readonly { readonly siteId: string; readonly touchId: string }[],
): Promise<readonly OrderName[]> {
  if (touches.length === 0) return [];
  const { rows } = await pool.query<{ site_id: string; order_id: string }>({
    name: 'orders-awaiting',
    text: `select awaited.site_id, awaited.order_id
      from unnest($1::uuid[], $2::text[]) as come (site_id, touch_id)
      join awaited_touches awaited on awaited.site_id = come.site_id and awaited.touch_id = come.touch_id`,
    values: [touches.map(({ siteId }) => siteId), touches.map(({ touchId }) => touchId)],
  });
  return distinct(rows.map((row) => ({ siteId: row.site_id, orderId: row.order_id })));
}

/** Those of these orders that wait for a touch which has come already. */
export async function ordersToMatch(pool: Pool, orders: readonly OrderName[]): Promise<readonly OrderName[]> {
  if (orders.length === 0) return [];
  const { rows } = await pool.query<{ site_id: string; order_id: string }>({
    name: 'orders-to-match',
    text: `select awaited.site_id, awaited.order_id
      from unnest($1::uuid[], $2::text[]) as recorded (site_id, order_id)
      join awaited_touches awaited on awaited.site_id = recorded.site_id and awaited.order_id = recorded.order_id
      join touches t on t.site_id = awaited.site_id and t.touch_id = awaited.touch_id`,
    values: [orders.map(({ siteId }) => siteId), orders.map(({ orderId }) => orderId)],
  });
  return distinct(rows.map((row) => ({ siteId: row.site_id, orderId: row.order_id })));
}

function distinct(orders: readonly OrderName[]): readonly OrderName[] {
  return [...new Map(orders.map((order) => [orderKey(order.siteId, order.orderId), order])).values()];
}
