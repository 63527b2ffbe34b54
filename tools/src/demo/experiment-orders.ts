/** An order of the demo's experiment: one article at a fixed price; two fifths of it are margin. */
export interface SoldOrder {
  readonly siteId: string;
  readonly orderId: string;
  readonly assignmentId: string;
  readonly touchId: string;
  /** Whole. */
  readonly price: number;
  readonly soldAtMs: number;
  /** EUR where it is not said. */
  readonly currency?: string;
}

const SECOND_MS = 1_000;
const COST_PER_PRICE = 0.6;

/** Body of the purchase. */
export function orderOf(order: SoldOrder): object {
  const { price, assignmentId, touchId } = order;
  const cost = (price * COST_PER_PRICE).toFixed(2);
  const line = { line_id: 'cup', sku: 'SKU-1', quantity: 1, unit_price: price, subtotal: price, discount: 0 };
  const conversion = {
    ...envelope(order, 'bought', 0),
    revenue: price,
    commissionable_subtotal: price,
    tax: 0,
    shipping: 0,
    discount: 0,
    lines: [{ ...line, commissionable_amount: price, item_cost: cost }],
    margin: { basis: 'exact', source: 'erp', amount: (price - Number(cost)).toFixed(2) },
    touch_ids: [touchId],
    experiment_assignment_ids: [assignmentId],
  };
  return { event_type: 'purchase', conversion };
}

/** Body of an adjustment by half of the price. */
export function returnOf(order: SoldOrder): object {
  const half = -order.price / 2;
  const adjustment = {
    ...envelope(order, 'returned', SECOND_MS),
    revenue_delta: half,
    commissionable_delta: half,
    reason: 'return',
  };
  return { event_type: 'adjustment', adjustment };
}

export function cancellationOf(order: SoldOrder): object {
  return {
    event_type: 'cancellation',
    cancellation: { ...envelope(order, 'cancelled', SECOND_MS), reversed_revenue: order.price },
  };
}

function envelope(
  { siteId, orderId, soldAtMs, currency = 'EUR' }: SoldOrder,
  step: string,
  offsetMs: number,
): object {
  return {
    schema_version: 1,
    idempotency_key: `${orderId}-${step}`,
    website_id: siteId,
    order_id: orderId,
    occurred_at: new Date(soldAtMs + offsetMs).toISOString(),
    currency,
  };
}
