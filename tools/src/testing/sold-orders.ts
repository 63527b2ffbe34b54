import { eventually, request } from '@truetally/testing';
import { type Product } from '@truetally/testing-product';

/** Two purchases and two commissions. */
const RECORDS_ONCE_MATCHED = 4;

/**
 * Eight records of a new shop: two orders, a later touch of a partner that earns a commission on both, an
 * adjustment of each, a cancellation, and another adjustment. Every request is answered 201.
 */
export async function sellOrders(
  product: Product,
  hasRecords: (siteId: string, count: number) => Promise<boolean>,
): Promise<string> {
  const site = await product.createSite();
  const { key } = await product.createApiKey(site);
  const backend = { 'x-api-key': key };
  const post = async (
    path: string,
    json: object,
    headers: Record<string, string> = backend,
  ): Promise<unknown> => {
    const { status, text, body } = await request(product.baseUrl + path, { json, headers });
    if (status !== 201) throw new Error(`${path}: ${status} ${text}`);
    return body.data;
  };
  const send = (eventType: string, envelope: string, order: number, step: number, content: object) =>
    post('/partner-attribution/conversions', {
      event_type: eventType,
      [envelope]: { ...commandOf(site.id, order, step), ...content },
    });
  await post('/partner-attribution/commission-rules', { website_id: site.id, ...RULE });
  for (const order of [1, 2]) await send('purchase', 'conversion', order, 0, PURCHASE);
  const origin = String(site.allowed_origins[0]);
  const token = (await post('/runtime/tokens', { site_id: site.id }, { origin })) as { token: string };
  const visitor = { authorization: `Bearer ${token.token}`, origin };
  await post('/partner-attribution/touches', { touches: [TOUCH] }, visitor);
  await eventually(() => hasRecords(site.id, RECORDS_ONCE_MATCHED));
  for (const order of [1, 2]) await send('adjustment', 'adjustment', order, 1, ADJUSTMENT);
  await send('cancellation', 'cancellation', 2, 2, { reversed_revenue: '28.50' });
  await send('adjustment', 'adjustment', 1, 2, { ...ADJUSTMENT, reason: 'other' });
  return site.id;
}

function commandOf(siteId: string, order: number, step: number): object {
  return {
    schema_version: 1,
    idempotency_key: `key-${order}-${step}`,
    website_id: siteId,
    order_id: `order-${order}`,
    occurred_at: new Date(Date.UTC(2026, 0, 31, 9, order, step)).toISOString(),
    currency: 'EUR',
  };
}

const RULE = {
  provider: 'awin',
  type: 'percentage',
  rate: '0.05',
  effective_from: '2026-01-01T00:00:00.000Z',
};
const TOUCH = {
  schema_version: 1,
  touch_id: 'touch-1',
  provider: 'awin',
  direction: 'inbound',
  provider_click_id: 'click-1',
  landing_path: '/',
  occurred_at: '2026-01-31T09:00:00.000Z',
  provenance: 'browser_sdk',
};
const LINE = { sku: 'SKU-1', quantity: 2, unit_price: '18.50', subtotal: '37.00', discount: 0 };
const PURCHASE = {
  revenue: '47.00',
  commissionable_subtotal: '37.00',
  tax: '5.00',
  shipping: '5.00',
  discount: 0,
  lines: [{ line_id: 'line-1', ...LINE, commissionable_amount: '37.00', item_cost: '7' }],
  margin: { basis: 'exact', source: 'erp', amount: '23.00' },
  touch_ids: ['touch-1'],
  experiment_assignment_ids: ['assignment-1'],
};
const ADJUSTMENT = {
  revenue_delta: '-18.50',
  commissionable_delta: '-18.50',
  margin_delta: '-11.50',
  reason: 'return',
  lines: [{ line_id: 'line-1', quantity_delta: -1, subtotal_delta: '-18.50' }],
};
