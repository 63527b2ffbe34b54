import { Inject, Injectable } from '@nestjs/common';
import { decodeReadOrder, type ReadOrderReply } from '@truetally/contracts';
import { failure } from '@truetally/kernel';
import type { IncomingRequest } from '@truetally/messaging';
import { explainOrder } from '../domain/explain-order.js';
import { whileAvailable } from '../storage/availability.js';
import { OrderStore } from '../storage/order.store.js';

@Injectable()
export class ReadOrderHandler {
  constructor(@Inject(OrderStore) private readonly orders: OrderStore) {}

  async handle(request: IncomingRequest): Promise<ReadOrderReply> {
    const decoded = decodeReadOrder(request.value);
    if (!decoded.ok) throw new Error(`Not a request to read an order: ${decoded.error}.`);
    const { site_id: siteId, order_id: orderId } = decoded.value;
    const [purchase, ...others] = await whileAvailable(() => this.orders.read(siteId, orderId));
    if (purchase === undefined) return failure('NOT_FOUND', 'There is no such order');
    const touchIds = JSON.parse(purchase.touch_ids ?? '[]') as string[];
    const touches = await whileAvailable(() => this.orders.touches(siteId, touchIds));
    return { ok: explainOrder(siteId, [purchase, ...others], touches) };
  }
}
