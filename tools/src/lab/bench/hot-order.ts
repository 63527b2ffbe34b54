import { type OrderResource } from '@truetally/contracts/attribution';
import { type Answer, request } from '@truetally/processes';
import type { ProductStack } from './product-stack.js';

export interface HotOrder {
  readonly seconds: number;
  /** Answers 409 because a later adjustment was recorded first: sent again with a later time. */
  readonly refused: number;
  /** Violations of the expected result. */
  readonly faults: readonly string[];
}

const MAX_ATTEMPTS = 200;
const MS_PER_SECOND = 1_000;
const ROUTES = '/partner-attribution';

/**
 * Sends concurrent adjustments of one cent on the same order, until every one is recorded, and checks the
 * rest.
 */
export async function hotOrder(stack: ProductStack, orderId: string, adjustments: number): Promise<HotOrder> {
  const shop = new Shop(stack, orderId);
  const faults: string[] = [];
  const bought = await shop.buy(adjustments);
  if (bought.status !== 201) return { seconds: 0, refused: 0, faults: [bought.text] };
  const startedAt = performance.now();
  const refusals = await Promise.all(
    Array.from({ length: adjustments }, (_, index) => untilRecorded(shop, index, faults)),
  );
  const seconds = (performance.now() - startedAt) / MS_PER_SECOND;
  const { body, text } = await shop.read();
  if (body.data === undefined) faults.push(text);
  else {
    const { entries, remaining_revenue: remaining } = body.data;
    if (remaining !== '0.00') faults.push(`${remaining} remain instead of 0.00`);
    if (entries.length !== adjustments + 1) faults.push(`${entries.length} entries`);
  }
  return { seconds, refused: refusals.reduce((sum, count) => sum + count, 0), faults };
}

/** @returns how often it was refused before it was recorded */
async function untilRecorded(shop: Shop, index: number, faults: string[]): Promise<number> {
  for (let refused = 0; refused < MAX_ATTEMPTS; refused++) {
    const { status, text } = await shop.takeOneCent(index);
    if (status === 201) return refused;
    if (status === 409) continue;
    faults.push(`${status} ${text}`);
    return refused;
  }
  faults.push(`adjustment ${index} was refused ${MAX_ATTEMPTS} times`);
  return MAX_ATTEMPTS;
}

class Shop {
  private readonly boughtAt = Math.floor(Date.now() / MS_PER_SECOND) * MS_PER_SECOND;
  /** Every attempt is a microsecond later than the previous one. */
  private attempts = 0;

  constructor(
    private readonly stack: ProductStack,
    private readonly orderId: string,
  ) {}

  buy(cents: number): Promise<Answer<unknown>> {
    const amount = (cents / 100).toFixed(2);
    const line = {
      line_id: 'line',
      sku: 'SKU-1',
      quantity: 1,
      unit_price: amount,
      subtotal: amount,
      discount: 0,
    };
    return this.send('purchase', 'conversion', 'bought', {
      revenue: amount,
      commissionable_subtotal: amount,
      tax: 0,
      shipping: 0,
      discount: 0,
      lines: [{ ...line, commissionable_amount: amount }],
    });
  }

  takeOneCent(index: number): Promise<Answer<unknown>> {
    const deltas = { revenue_delta: '-0.01', commissionable_delta: '-0.01', reason: 'price_correction' };
    return this.send('adjustment', 'adjustment', `taken-${index}`, deltas);
  }

  read(): Promise<Answer<OrderResource>> {
    const { baseUrl, siteId, apiKey } = this.stack;
    const url = `${baseUrl}${ROUTES}/orders/${this.orderId}?website_id=${siteId}`;
    return request(url, { headers: { 'x-api-key': apiKey } });
  }

  private send(eventType: string, envelope: string, step: string, content: object): Promise<Answer<unknown>> {
    const { baseUrl, siteId, apiKey } = this.stack;
    const microseconds = String(this.attempts++).padStart(6, '0');
    const occurredAt = new Date(this.boughtAt).toISOString().replace('.000Z', `.${microseconds}Z`);
    const command = {
      schema_version: 1,
      idempotency_key: `${this.orderId}-${step}`,
      website_id: siteId,
      order_id: this.orderId,
      occurred_at: occurredAt,
      currency: 'EUR',
      ...content,
    };
    return request(`${baseUrl}${ROUTES}/conversions`, {
      json: { event_type: eventType, [envelope]: command },
      headers: { 'x-api-key': apiKey },
    });
  }
}
