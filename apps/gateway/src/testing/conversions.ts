import { randomUUID } from 'node:crypto';

type Members = Readonly<Record<string, unknown>>;

/** Bodies of `POST /partner-attribution/conversions` for one site, all in EUR unless they are changed. */
export function conversionsOf(siteId: string) {
  const order = (orderId: string, day: number) => ({
    schema_version: 1,
    idempotency_key: randomUUID() as string,
    website_id: siteId,
    order_id: orderId,
    occurred_at: `2026-01-${String(day).padStart(2, '0')}T09:30:00Z`,
    currency: 'EUR',
  });
  return {
    /** Two lines, 20.00 − 2.00 and 5.50, with tax 4.47 and shipping 3.90: 31.87. */
    purchase: (orderId: string, changes: Members = {}) => ({
      event_type: 'purchase',
      conversion: { ...order(orderId, 1), ...TOTALS, lines: [FIRST_LINE, SECOND_LINE], ...changes },
    }),
    /** One line at a given price, without tax, shipping or discount. */
    simplePurchase: (orderId: string, amount: unknown, changes: Members = {}) => {
      const amounts = { unit_price: amount, subtotal: amount, commissionable_amount: amount };
      const totals = { revenue: amount, commissionable_subtotal: amount, tax: 0, shipping: 0, discount: 0 };
      const lines = [line('line-1', amounts)];
      return { event_type: 'purchase', conversion: { ...order(orderId, 1), ...totals, lines, ...changes } };
    },
    /** The second line is returned. */
    adjustment: (orderId: string, day: number, changes: Members = {}) => ({
      event_type: 'adjustment',
      adjustment: {
        ...order(orderId, day),
        revenue_delta: '-5.50',
        commissionable_delta: '-5.50',
        reason: 'return',
        ...changes,
      },
    }),
    /** Of what is left then. */
    cancellation: (orderId: string, day: number, changes: Members = {}) => ({
      event_type: 'cancellation',
      cancellation: { ...order(orderId, day), reversed_revenue: '26.37', ...changes },
    }),
  };
}

export function line(lineId: string, amounts: Members): Members {
  return { line_id: lineId, sku: 'SKU-1', quantity: 1, discount: 0, ...amounts };
}

const TOTALS = {
  revenue: '31.87',
  commissionable_subtotal: 23.5,
  tax: 4.47,
  shipping: '3.90',
  discount: '2.00',
};
export const FIRST_LINE = line('line-1', {
  quantity: 2,
  unit_price: 10,
  subtotal: '20.00',
  discount: 2,
  commissionable_amount: 18,
});
export const SECOND_LINE = line('line-2', {
  unit_price: '5.50',
  subtotal: 5.5,
  commissionable_amount: '5.50',
});
