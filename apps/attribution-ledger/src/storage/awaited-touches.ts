import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { touchRowIdOf } from '../domain/names.js';
import { type Entry, type Order, unmatchedOf } from '../domain/order.js';

/** An order, by its names. */
export interface OrderName {
  readonly siteId: string;
  readonly orderId: string;
}

/**
 * Stores which orders wait for which touches, and deletes finished waits, so that a new touch finds its
 * orders. This is only an index: the records show what was matched.
 */
export async function keepAwaited(client: ClientBase, entries: readonly Entry[]): Promise<void> {
  const added = new Rows();
  const removed = new Rows();
  for (const { eventType, order } of entries) {
    if (eventType === 'purchase') added.add(order, unmatchedOf(order.attribution));
    else removed.add(order, settledOf(order));
  }
  // Together with what is sent beside it.
  await Promise.all([
    added.touchIds.length > 0 &&
      client.query({
        name: 'await-touches',
        text: AWAIT_TOUCHES,
        values: [added.touchRowIds, added.conversionIds, added.siteIds, added.orderIds, added.touchIds].map(
          arrayLiteral,
        ),
      }),
    removed.touchIds.length > 0 &&
      client.query({
        name: 'forget-awaited',
        text: FORGET_AWAITED,
        values: [removed.touchRowIds, removed.conversionIds].map(arrayLiteral),
      }),
  ]);
}

const AWAIT_TOUCHES = `
  insert into awaited_touches (touch_row_id, conversion_id, site_id, order_id, touch_id)
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[])`;
const FORGET_AWAITED = `
  delete from awaited_touches awaited
  using unnest($1::uuid[], $2::uuid[]) as settled (touch_row_id, conversion_id)
  where awaited.touch_row_id = settled.touch_row_id and awaited.conversion_id = settled.conversion_id`;

/** The matched ones; a cancelled order waits for nothing. */
function settledOf(order: Order): readonly string[] {
  if (order.state === 'cancelled') return order.touchIds;
  const unmatched = new Set(unmatchedOf(order.attribution));
  return order.touchIds.filter((touchId) => !unmatched.has(touchId));
}

class Rows {
  readonly touchRowIds: string[] = [];
  readonly conversionIds: string[] = [];
  readonly siteIds: string[] = [];
  readonly orderIds: string[] = [];
  readonly touchIds: string[] = [];

  add({ siteId, orderId, conversionId }: Order, touchIds: readonly string[]): void {
    for (const touchId of touchIds) {
      this.touchRowIds.push(touchRowIdOf(siteId, touchId));
      this.conversionIds.push(conversionId);
      this.siteIds.push(siteId);
      this.orderIds.push(orderId);
      this.touchIds.push(touchId);
    }
  }
}

/** A waiting order and its position. */
export interface WaitingOrder extends OrderName {
  readonly conversionId: string;
}

/** Before every conversion id. */
export const FIRST_PLACE = '00000000-0000-0000-0000-000000000000';

/** The next orders by conversion id: any number of orders may name a touch. */
type FindWaiting = (
  pool: Pool,
  ids: readonly string[],
  after: string,
  limit: number,
) => Promise<readonly WaitingOrder[]>;

/** Orders that wait for any of these stored touches; ids are the touches'. */
export const ordersAwaiting = finderOf('orders-awaiting', 'awaited.touch_row_id = any($1::uuid[])');

/** Those of these orders that wait for an already stored touch; ids are conversions'. */
export const ordersToMatch = finderOf(
  'orders-to-match',
  `awaited.conversion_id = any($1::uuid[])
   and (select t.id from touches t where t.id = awaited.touch_row_id) is not null`,
);

function finderOf(name: string, condition: string): FindWaiting {
  const text = `
    select distinct awaited.conversion_id, awaited.site_id, awaited.order_id from awaited_touches awaited
    where ${condition} and awaited.conversion_id > $2 order by awaited.conversion_id limit $3`;
  return async (pool, ids, after, limit) => {
    if (ids.length === 0) return [];
    const { rows } = await pool.query<WaitingRow>({ name, text, values: [ids, after, limit] });
    return rows.map((row) => ({
      siteId: row.site_id,
      orderId: row.order_id,
      conversionId: row.conversion_id,
    }));
  };
}

interface WaitingRow {
  readonly conversion_id: string;
  readonly site_id: string;
  readonly order_id: string;
}
