import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ConversionAccepted } from '@truetally/contracts/attribution';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, request } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { UUID } from '@truetally/kernel';
import { conversionsOf, FIRST_LINE, SECOND_LINE } from '../../testing/conversions.js';

const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('interface page, section 6: trusted conversions', () => {
  let product: Product;
  let site: SiteResource;
  let key: string;
  let bodies: ReturnType<typeof conversionsOf>;

  beforeAll(async () => {
    product = await sharedProduct();
    site = await product.createSite();
    bodies = conversionsOf(site.id);
    const scopes = ['partner_attribution:convert'] as const;
    key = (await product.createApiKey(site, { scopes })).key;
  });

  afterAll(() => product.stop());

  const send = (json: unknown): Promise<Answer<ConversionAccepted>> =>
    request(`${product.baseUrl}/partner-attribution/conversions`, { json, headers: { 'x-api-key': key } });
  const sendText = (body: string): Promise<Answer<ConversionAccepted>> =>
    request(`${product.baseUrl}/partner-attribution/conversions`, {
      body,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    });
  function expectConflict(answer: Answer<unknown>, ...paths: readonly string[]): void {
    expect([answer.status, answer.body.error?.code]).toEqual([409, 'CONFLICT']);
    expect(Object.keys(answer.body.error?.details ?? {}).sort()).toEqual([...paths].sort());
  }

  async function accepted(body: unknown): Promise<ConversionAccepted> {
    const answer = await send(body);
    expect([answer.status, answer.body.error?.details]).toEqual([201, undefined]);
    if (answer.body.data === undefined) throw new Error('An accepted conversion has data.');
    return answer.body.data;
  }

  it('a purchase: 201 with all that section 6 names; a replay: 200, the same but deduplicated', async () => {
    const orderId = `order ${randomUUID()}/ü`;
    const body = bodies.purchase(orderId, { touch_ids: ['unknown-2', 'unknown-1', 'unknown-2'] });
    const first = await accepted(body);
    expect(first).toEqual({
      authoritative: true,
      deduplicated: false,
      record_id: expect.stringMatching(UUID),
      conversion_id: expect.stringMatching(UUID),
      order_id: orderId,
      event_type: 'purchase',
      state: 'recorded',
      currency: 'EUR',
      remaining_revenue: '31.87',
      remaining_commissionable: '23.50',
      recorded_at: expect.stringMatching(ISO_MS),
      unmatched_touch_ids: ['unknown-2', 'unknown-1'],
    });
    const replay = await send(body);
    expect(replay.status).toBe(200);
    expect(replay.body.data).toEqual({ ...first, deduplicated: true });
  });

  it('a replay may be spelt otherwise: order of fields, numbers, times, ignored fields', async () => {
    const first = bodies.simplePurchase(`order-${randomUUID()}`, '1500.10');
    const { record_id } = await accepted(first);
    const entries = Object.entries({
      ...first.conversion,
      occurred_at: '2026-01-01T10:30:00.000+01:00',
      coupon: 'X',
    });
    const text = JSON.stringify({
      conversion: Object.fromEntries(entries.reverse()),
      event_type: 'purchase',
    });
    const spelt = text.replaceAll('"1500.10"', '150010e-2');
    expect(spelt).not.toBe(text);
    const replay = await sendText(spelt);
    expect([replay.status, replay.body.data?.record_id, replay.body.data?.deduplicated]).toEqual([
      200,
      record_id,
      true,
    ]);
  });

  it('a known idempotency_key with another payload is 409, over all three envelopes', async () => {
    const orderId = `order-${randomUUID()}`;
    const body = bodies.purchase(orderId);
    await accepted(body);
    const { idempotency_key } = body.conversion;
    const changed = await send(bodies.purchase(orderId, { idempotency_key, touch_ids: ['t'] }));
    expectConflict(changed, 'conversion.idempotency_key');
    expectConflict(
      await send(bodies.adjustment(orderId, 2, { idempotency_key })),
      'adjustment.idempotency_key',
    );
    expectConflict(
      await send(bodies.cancellation(orderId, 2, { idempotency_key })),
      'cancellation.idempotency_key',
    );
    const other = await send(bodies.purchase(`order-${randomUUID()}`, { idempotency_key }));
    expectConflict(other, 'conversion.idempotency_key');
  });

  it('a second purchase of the order is 409 under another key, in any currency', async () => {
    const orderId = `order-${randomUUID()}`;
    await accepted(bodies.purchase(orderId));
    expectConflict(await send(bodies.purchase(orderId)), 'conversion.order_id');
    expectConflict(
      await send(bodies.simplePurchase(orderId, 1500, { currency: 'JPY' })),
      'conversion.order_id',
    );
  });

  it('adjustments and a cancellation take the order to zero; nothing follows; the first answers stay', async () => {
    const orderId = `order-${randomUUID()}`;
    const bought = await accepted(bodies.purchase(orderId));
    const partly = bodies.adjustment(orderId, 2, {
      tax_delta: -0.88,
      lines: [{ line_id: 'line-2', quantity_delta: -1, subtotal_delta: '-5.50' }],
    });
    const adjusted = await accepted(partly);
    expect(adjusted).toMatchObject({
      event_type: 'adjustment',
      state: 'adjusted',
      conversion_id: bought.conversion_id,
      remaining_revenue: '26.37',
      remaining_commissionable: '18.00',
    });
    expectConflict(
      await send(bodies.cancellation(orderId, 3, { reversed_revenue: '26.38' })),
      'cancellation.reversed_revenue',
    );
    const end = bodies.cancellation(orderId, 3, { reason: 'changed their mind' });
    const cancelled = await accepted(end);
    expect(cancelled).toMatchObject({
      state: 'cancelled',
      remaining_revenue: '0.00',
      remaining_commissionable: '0.00',
    });
    expectConflict(await send(bodies.adjustment(orderId, 4)), 'adjustment.order_id');
    expectConflict(
      await send(bodies.cancellation(orderId, 4, { reversed_revenue: 0 })),
      'cancellation.order_id',
    );
    expectConflict(await send(bodies.purchase(orderId)), 'conversion.order_id');
    const replays = await Promise.all([partly, end].map(send));
    expect(replays.map(({ status, body: { data } }) => [status, data])).toEqual([
      [200, { ...adjusted, deduplicated: true }],
      [200, { ...cancelled, deduplicated: true }],
    ]);
  });

  it('state rules: each by its field, and all at once', async () => {
    const orderId = `order-${randomUUID()}`;
    expectConflict(await send(bodies.adjustment(orderId, 2)), 'adjustment.order_id');
    expectConflict(await send(bodies.cancellation(orderId, 2)), 'cancellation.order_id');
    await accepted(bodies.purchase(orderId));
    expectConflict(await send(bodies.adjustment(orderId, 1)), 'adjustment.occurred_at');
    expectConflict(await send(bodies.adjustment(orderId, 2, { currency: 'USD' })), 'adjustment.currency');
    expectConflict(
      await send(bodies.adjustment(orderId, 2, { revenue_delta: '-31.88' })),
      'adjustment.revenue_delta',
    );
    const tooMuch = bodies.adjustment(orderId, 2, { commissionable_delta: -23.51 });
    expectConflict(await send(tooMuch), 'adjustment.commissionable_delta');
    expectConflict(await send(bodies.adjustment(orderId, 2, { margin_delta: 0 })), 'adjustment.margin_delta');
    const lines = [{ line_id: 'line-9', quantity_delta: 1, subtotal_delta: 1 }];
    expectConflict(await send(bodies.adjustment(orderId, 2, { lines })), 'adjustment.lines.0.line_id');
    expectConflict(
      await send(
        bodies.adjustment(orderId, 1, {
          revenue_delta: '-31.88',
          commissionable_delta: '-23.51',
          margin_delta: 1,
          lines,
        }),
      ),
      ...['occurred_at', 'revenue_delta', 'commissionable_delta', 'margin_delta', 'lines.0.line_id'].map(
        (name) => `adjustment.${name}`,
      ),
    );
    const early = bodies.cancellation(orderId, 1, { reversed_revenue: '31.86' });
    expectConflict(await send(early), 'cancellation.occurred_at', 'cancellation.reversed_revenue');
  });

  it('a refused request does not use up its key: 400 and 409, then 201', async () => {
    const orderId = `order-${randomUUID()}`;
    const idempotency_key = randomUUID();
    expect((await send(bodies.purchase(orderId, { idempotency_key, revenue: '31.88' }))).status).toBe(400);
    expectConflict(await send(bodies.adjustment(orderId, 2, { idempotency_key })), 'adjustment.order_id');
    await accepted(bodies.purchase(orderId, { idempotency_key }));
  });

  it('a body that is no JSON, names a member twice or is no object is 400, and records nothing', async () => {
    const orderId = `order-${randomUUID()}`;
    const text = JSON.stringify(bodies.purchase(orderId));
    const twice = text.replace('"revenue":', '"revenue":"31.87","revenue":');
    const refusals = [
      ['{', 'BAD_REQUEST', ['body']],
      [twice, 'BAD_REQUEST', ['conversion.revenue']],
      ['[]', 'VALIDATION_ERROR', ['body']],
      ['{}', 'VALIDATION_ERROR', ['event_type', 'body']],
    ] as const;
    for (const [body, code, paths] of refusals) {
      const answer = await sendText(body);
      expect([answer.status, answer.body.error?.code]).toEqual([400, code]);
      expect(Object.keys(answer.body.error?.details ?? {})).toEqual(paths);
    }
    expect((await sendText(text)).status).toBe(201);
  });

  it('400 names every broken rule at once, with both sides and the difference', async () => {
    const answer = await send(
      bodies.purchase('order', {
        revenue: '31.86',
        lines: [
          { ...FIRST_LINE, subtotal: '20.01' },
          { ...SECOND_LINE, sku: null },
        ],
      }),
    );
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.error?.details).toEqual({
      'conversion.revenue': [
        'must equal the sum of the subtotals − discount + tax + shipping: expected 31.88, got 31.86, difference -0.02',
      ],
      'conversion.lines.0.subtotal': [
        'must equal quantity × unit_price: expected 20.00, got 20.01, difference 0.01',
      ],
      'conversion.lines.1.sku': ['must be a non-empty string of at most 128 characters; got null'],
    });
  });

  it('an order beyond 2^63 - 1 minor units by adjustments is 409', async () => {
    const orderId = `order-${randomUUID()}`;
    await accepted(bodies.simplePurchase(orderId, '92233720368547758.07'));
    const more = bodies.adjustment(orderId, 2, { revenue_delta: '0.01', commissionable_delta: 0 });
    expectConflict(await send(more), 'adjustment.revenue_delta');
  });
});
