import type { AskOrders, ListedOrder } from '@truetally/contracts/attribution';
import { type Page, resourceRefusals } from '@truetally/contracts/resource';
import { type Reply, UUID } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { presentOrder, sharingTouchesOf } from '../domain/present-order.js';
import { partnerTerm, providerTerm, touchTerm } from '../domain/order-terms.js';
import type { OrderStore } from '../storage/order.store.js';
import type { OrderListStore } from '../storage/order-list.store.js';

/** The cursor is the `conversion_id` of an order, whose place in the list never changes. */
export const listOrders =
  (list: OrderListStore, orders: OrderStore) =>
  async (asked: AskOrders): Promise<Reply<Page<ListedOrder>>> => {
    const { site_id: siteId, state, currency, from, to, order_id_prefix: prefix, limit, cursor } = asked;
    if (cursor !== null && !UUID.test(cursor)) return resourceRefusals.badCursor();
    const term = termOf(asked);
    const filter = { siteId, state, currency, from, to, prefix, term, after: cursor, limit };
    const found = await whileAvailable(() => list.list(filter));
    if (found === undefined) return resourceRefusals.badCursor();
    const touchIds = sharingTouchesOf(found.rows);
    const touches = await whileAvailable(() => orders.touches(siteId, touchIds));
    return { ok: { items: found.rows.map((row) => presentOrder(row, touches)), next_cursor: found.next } };
  };

function termOf({ touch_id: touchId, provider, partner_id: partnerId }: AskOrders): string | null {
  if (touchId !== null) return touchTerm(touchId);
  if (provider === null) return null;
  return partnerId === null ? providerTerm(provider) : partnerTerm(provider, partnerId);
}
