/** What distinguishes one plain order from another. */
export interface PlainPurchase {
  readonly siteId: string;
  /** Also the idempotency key. */
  readonly orderId: string;
  /** ISO 8601. */
  readonly occurredAt: string;
}

/** Body of `POST /partner-attribution/conversions`: a purchase of one cup for 20 EUR, without touches. */
export function plainPurchase({ siteId, orderId, occurredAt }: PlainPurchase): object {
  const price = '20.00';
  return {
    event_type: 'purchase',
    conversion: {
      schema_version: 1,
      idempotency_key: orderId,
      website_id: siteId,
      order_id: orderId,
      occurred_at: occurredAt,
      currency: 'EUR',
      revenue: price,
      commissionable_subtotal: price,
      tax: '0.00',
      shipping: '0.00',
      discount: '0.00',
      lines: [
        {
          line_id: 'cup',
          sku: 'SKU-1',
          quantity: 1,
          unit_price: price,
          subtotal: price,
          discount: '0.00',
          commissionable_amount: price,
        },
      ],
      touch_ids: [],
    },
  };
}
