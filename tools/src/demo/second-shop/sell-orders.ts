import {
  type History,
  type InventedOrder,
  inventHistory,
  PARTNERS,
  PRODUCTS,
  touchOf,
} from './invented-history.js';
import { inTurns, pieces, type ShopClient } from './shop-client.js';

const EVENTS_PER_BATCH = 100;
const TOUCHES_PER_REQUEST = 20;
const REQUESTS_AT_ONCE = 6;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const RULE_FROM = '2026-01-01T00:00:00.000Z';
const CONVERSIONS = 'partner-attribution/conversions';

/** A fortnight of visitors and orders, and the orders that a merchant asks about. @returns what is printed of it */
export async function sellOrders(shop: ShopClient, nowMs: number): Promise<string[]> {
  const history = inventHistory(nowMs, shop.place.origin);
  const special = specialOrders(nowMs);
  for (const rule of rulesOf(shop.siteId)) await shop.backend('partner-attribution/commission-rules', rule);
  const touches = [...history.touches, ...special.touches];
  await inTurns(pieces(touches, TOUCHES_PER_REQUEST), REQUESTS_AT_ONCE, (some) =>
    shop.page('partner-attribution/touches', { touches: some }),
  );
  await sendEvents(shop, history);
  const orders = [...history.orders, ...special.orders];
  await inTurns(orders, REQUESTS_AT_ONCE, (order) =>
    shop.backend(CONVERSIONS, purchaseOf(shop.siteId, order)),
  );
  const [returned, cancelled] = history.orders.filter(({ currency }) => currency === 'USD');
  if (returned === undefined || cancelled === undefined)
    throw new Error('The invented history has no orders.');
  await shop.backend(CONVERSIONS, returnOf(shop.siteId, returned));
  await shop.backend(CONVERSIONS, cancellationOf(shop.siteId, cancelled));
  await shop.backend('events/batch', { events: [eventWithoutOrder(shop.place.origin, nowMs)] });
  return [
    `${history.events.length + history.backendEvents.length} events of 14 days, ${orders.length} orders in USD, JPY and KWD`,
    `order ${returned.orderId} was partly returned, ${cancelled.orderId} cancelled; ${special.orders.map(({ orderId, touchIds }) => `${orderId} has ${touchIds.length} touches and no event`).join(', ')}; ${EVENT_ONLY} has an event and is in no ledger`,
  ];
}

async function sendEvents(shop: ShopClient, { events, backendEvents }: History): Promise<void> {
  const batches = pieces(events, EVENTS_PER_BATCH);
  await inTurns(batches, REQUESTS_AT_ONCE, (some) => shop.page('events/batch', { events: some }));
  for (const some of pieces(backendEvents, EVENTS_PER_BATCH)) {
    await shop.backend('events/batch', { events: some });
  }
}

function rulesOf(siteId: string): readonly object[] {
  const rule = { website_id: siteId, provider: 'awin', type: 'percentage', effective_from: RULE_FROM };
  return [
    { ...rule, rate: '0.05' },
    { ...rule, partner_id: 'cup-review', rate: '0.08' },
  ];
}

/** Orders without an event: one that three partners brought, and one that none brought. */
function specialOrders(nowMs: number): {
  readonly touches: readonly object[];
  readonly orders: readonly InventedOrder[];
} {
  const atMs = nowMs - 30 * HOUR_MS;
  const order = (orderId: string, touchIds: readonly string[]): InventedOrder => ({
    orderId,
    sessionId: orderId,
    atMs,
    currency: 'USD',
    amount: '37.00',
    product: PRODUCTS[0],
    touchIds,
  });
  const touchIds = PARTNERS.map((partner) => `three-${partner}`);
  const touches = PARTNERS.map((partner, place) =>
    touchOf(`three-${partner}`, 'NY-THREE', partner, atMs - (3 - place) * HOUR_MS),
  );
  return { touches, orders: [order('NY-THREE', touchIds), order('NY-PHONE', [])] };
}

const EVENT_ONLY = 'NY-UNPAID';

function eventWithoutOrder(origin: string, nowMs: number): object {
  return {
    event_type: 'purchase',
    session_id: EVENT_ONLY,
    client_event_id: EVENT_ONLY,
    occurred_at: new Date(nowMs - HOUR_MS).toISOString(),
    properties: { order_id: EVENT_ONLY, total: 24.9, currency: 'USD' },
    context: { page_url: `${origin}/thanks`, user_agent: 'backend' },
  };
}

function purchaseOf(siteId: string, order: InventedOrder): object {
  const { amount, product, touchIds } = order;
  const line = { line_id: 'goods', sku: product.id, quantity: 1, unit_price: amount, subtotal: amount };
  const conversion = {
    ...envelope(siteId, order, 'bought', 0),
    revenue: amount,
    commissionable_subtotal: amount,
    tax: 0,
    shipping: 0,
    discount: 0,
    lines: [{ ...line, discount: 0, commissionable_amount: amount }],
    margin: { basis: 'estimated', source: 'catalogue', amount: marginOf(order) },
    touch_ids: touchIds,
  };
  return { event_type: 'purchase', conversion };
}

function returnOf(siteId: string, order: InventedOrder): object {
  const half = (-Number(order.amount) / 2).toFixed(2);
  const adjustment = { revenue_delta: half, commissionable_delta: half, reason: 'return' };
  return {
    event_type: 'adjustment',
    adjustment: { ...envelope(siteId, order, 'returned', MINUTE_MS), ...adjustment },
  };
}

function cancellationOf(siteId: string, order: InventedOrder): object {
  const reversed = { reversed_revenue: order.amount, reason: 'never paid' };
  return {
    event_type: 'cancellation',
    cancellation: { ...envelope(siteId, order, 'cancelled', MINUTE_MS), ...reversed },
  };
}

function envelope(siteId: string, order: InventedOrder, step: string, offsetMs: number): object {
  return {
    schema_version: 1,
    idempotency_key: `${order.orderId}-${step}`,
    website_id: siteId,
    order_id: order.orderId,
    occurred_at: new Date(order.atMs + offsetMs).toISOString(),
    currency: order.currency,
  };
}

/** A quarter of the price, with the currency's own decimals. */
function marginOf({ amount }: InventedOrder): string {
  return (Number(amount) / 4).toFixed(amount.split('.')[1]?.length ?? 0);
}
