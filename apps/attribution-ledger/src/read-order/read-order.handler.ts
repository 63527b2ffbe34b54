import type { OrderResource, ReadOrder } from '@truetally/contracts/attribution';
import { failure, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { readEntryCursor } from '../domain/entry-cursor.js';
import { explainOrder } from '../domain/explain-order.js';
import { refusedCursor } from '../domain/refused-cursor.js';
import { type OrderStore } from '../storage/order.store.js';

export class ReadOrderHandler {
  constructor(private readonly orders: OrderStore) {}

  async handle(asked: ReadOrder): Promise<Reply<OrderResource>> {
    const { site_id: siteId, order_id: orderId, limit, cursor } = asked;
    const after = readEntryCursor(cursor);
    if (after === undefined) return refusedCursor();
    const order = await whileAvailable(() => this.orders.read(siteId, orderId, { after, limit }));
    if (order === undefined) return failure('NOT_FOUND', 'There is no such order');
    const touchIds = JSON.parse(order.purchase.touch_ids ?? '[]') as string[];
    const touches = await whileAvailable(() => this.orders.touches(siteId, touchIds));
    return { ok: explainOrder(siteId, order, touches) };
  }
}
