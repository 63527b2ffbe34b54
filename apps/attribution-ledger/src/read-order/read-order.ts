import type { OrderResource, ReadOrder } from '@truetally/contracts/attribution';
import { resourceRefusals } from '@truetally/contracts/resource';
import { failure, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { readEntryCursor } from '../domain/entry-cursor.js';
import { explainOrder } from '../domain/explain-order.js';
import type { OrderStore } from '../storage/order.store.js';

export const readOrder =
  (orders: OrderStore) =>
  async (asked: ReadOrder): Promise<Reply<OrderResource>> => {
    const { site_id: siteId, order_id: orderId, limit, cursor } = asked;
    const after = readEntryCursor(cursor);
    if (after === undefined) return resourceRefusals.badCursor();
    const order = await whileAvailable(() => orders.read(siteId, orderId, { after, limit }));
    if (order === undefined) return failure('NOT_FOUND', 'There is no such order');
    const touchIds = JSON.parse(order.purchase.touch_ids ?? '[]') as string[];
    const touches = await whileAvailable(() => orders.touches(siteId, touchIds));
    return { ok: explainOrder(siteId, order, touches) };
  };
