import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ConversionAccepted, OrderResource } from '@truetally/contracts/attribution';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, request } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { conversionsOf, line } from '../../testing/conversions.js';

describe('interface page, section 6: an order in the ledger', () => {
  let product: Product;
  let site: SiteResource;
  let key: string;
  let bodies: ReturnType<typeof conversionsOf>;

  beforeAll(async () => {
    product = await sharedProduct();
    site = await product.createSite();
    bodies = conversionsOf(site.id);
    const scopes = ['partner_attribution:convert', 'partner_attribution:read'] as const;
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
  const readOrder = (orderId: string): Promise<Answer<OrderResource>> =>
    request(
      `${product.baseUrl}/partner-attribution/orders/${encodeURIComponent(orderId)}?website_id=${site.id}`,
      { headers: { 'x-api-key': key } },
    );

  async function accepted(body: unknown): Promise<ConversionAccepted> {
    const answer = await send(body);
    expect([answer.status, answer.body.error?.details]).toEqual([201, undefined]);
    if (answer.body.data === undefined) throw new Error('An accepted conversion has data.');
    return answer.body.data;
  }

  it.each([
    ['JPY', '9007199254740993', '9007199254740993'],
    ['EUR', '9007199254740993', '9007199254740993.00'],
    ['EUR', '92233720368547758.07', '92233720368547758.07'],
    ['JPY', '9223372036854775807', '9223372036854775807'],
    ['KWD', '9223372036854775.807', '9223372036854775.807'],
    ['KWD', '1.5', '1.500'],
    ['JPY', '1500.0', '1500'],
    ['EUR', '1e2', '100.00'],
    ['CLF', '0.0001', '0.0001'],
  ])(
    '%s %s as a number of the body is %s to the last digit, in Postgres and back',
    async (currency, amount, shown) => {
      const orderId = `order-${randomUUID()}`;
      const body = JSON.stringify(bodies.simplePurchase(orderId, '@', { currency })).replaceAll(
        '"@"',
        amount,
      );
      const { status, body: answered } = await sendText(body);
      expect([status, answered.data?.remaining_revenue]).toEqual([201, shown]);
      const read = await readOrder(orderId);
      expect(read.body.data).toMatchObject({
        currency,
        remaining_revenue: shown,
        remaining_commissionable: shown,
        entries: [{ revenue_delta: shown }],
      });
      const end = bodies.cancellation(orderId, 2, { currency, reversed_revenue: shown });
      expect((await accepted(end)).remaining_revenue).toBe(shown.replace(/\d/g, '0').replace(/^0+(?=0)/, ''));
    },
  );

  it('500 lines with fractional quantities, read back as they were given', async () => {
    const orderId = `order-${randomUUID()}`;
    const amounts = {
      quantity: '0.333333',
      unit_price: '9.000001',
      subtotal: '3.00',
      commissionable_amount: '2.99',
    };
    const lines = Array.from({ length: 500 }, (_, index) => line(`line-${index}`, amounts));
    const changes = { revenue: '1500.00', commissionable_subtotal: '1495.00', lines };
    await accepted(bodies.simplePurchase(orderId, 0, changes));
    const { data } = (await readOrder(orderId)).body;
    expect(data?.entries[0]?.lines?.length).toBe(500);
    expect(data?.remaining_commissionable).toBe('1495.00');
  });

  it('an order has its entries, which sum to its balance, and its position in the chain', async () => {
    const orderId = `order-${randomUUID()}`;
    const margin = { amount: '14.00', basis: 'estimated', source: 'rule of thumb' };
    const bought = await accepted(
      bodies.purchase(orderId, { margin, touch_ids: ['t-1'], experiment_assignment_ids: ['a-1'] }),
    );
    await accepted(
      bodies.adjustment(orderId, 2, { tax_delta: '-0.88', shipping_delta: '1.00', margin_delta: '-4.00' }),
    );
    await accepted(bodies.cancellation(orderId, 3));
    const { status, body } = await readOrder(orderId);
    expect(status).toBe(200);
    const read = body.data;
    if (read === undefined) throw new Error('The order was not read.');
    expect(read).toMatchObject({
      order_id: orderId,
      website_id: site.id,
      currency: 'EUR',
      state: 'cancelled',
      conversion_id: bought.conversion_id,
      remaining_revenue: '0.00',
      remaining_commissionable: '0.00',
      margin_basis: 'estimated',
      remaining_margin: '0.00',
      commission: '0.00',
      matched_touches: [],
      unmatched_touch_ids: ['t-1'],
      experiment_assignment_ids: ['a-1'],
    });
    expect(read.entries.map((entry) => [entry.event_type, entry.revenue_delta, entry.tax_delta])).toEqual([
      ['purchase', '31.87', '4.47'],
      ['adjustment', '-5.50', '-0.88'],
      ['cancellation', '-26.37', '-3.59'],
    ]);
    expect(read.entries.map(({ margin_delta }) => margin_delta)).toEqual(['14.00', '-4.00', '-10.00']);
    for (const { hash } of read.entries) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const sequences = read.entries.map(({ sequence }) => BigInt(sequence));
    expect([...sequences].sort((one, other) => (one < other ? -1 : 1))).toEqual(sequences);
  });

  it('entries come in pages where fewer are asked for, and the rest of the order with each', async () => {
    const orderId = `order-${randomUUID()}`;
    const read = (query: string): Promise<Answer<OrderResource>> =>
      request(`${product.baseUrl}/partner-attribution/orders/${orderId}?website_id=${site.id}${query}`, {
        headers: { 'x-api-key': key },
      });
    await accepted(bodies.purchase(orderId));
    await accepted(bodies.adjustment(orderId, 2));
    await accepted(bodies.cancellation(orderId, 3));
    const whole = (await read('')).body.data;
    expect([whole?.entries.length, whole?.next_cursor]).toEqual([3, null]);
    const first = (await read('&limit=2')).body.data;
    expect(first?.entries).toEqual(whole?.entries.slice(0, 2));
    const second = (await read(`&limit=2&cursor=${first?.next_cursor ?? ''}`)).body.data;
    expect(second).toEqual({ ...whole, entries: whole?.entries.slice(2) });
    for (const query of ['&limit=0', '&limit=2001', '&cursor=', '&cursor=nonsense']) {
      const { status, body } = await read(query);
      expect([status, Object.keys(body.error?.details ?? {})]).toEqual([
        400,
        [/limit|cursor/.exec(query)?.[0]],
      ]);
    }
  });

  it('an order that does not exist is 404, also one of another site', async () => {
    expect((await readOrder(`order-${randomUUID()}`)).status).toBe(404);
    const orderId = `order-${randomUUID()}`;
    await accepted(bodies.purchase(orderId));
    const other = await product.createSite();
    const { key: otherKey } = await product.createApiKey(other, { scopes: ['partner_attribution:read'] });
    const answer = await request(
      `${product.baseUrl}/partner-attribution/orders/${orderId}?website_id=${other.id}`,
      { headers: { 'x-api-key': otherKey } },
    );
    expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('a browser purchase never touches the ledger', async () => {
    const { key: eventKey } = await product.createApiKey(site, { scopes: ['events:write'] });
    const orderId = `order-${randomUUID()}`;
    const event = {
      event_type: 'purchase',
      session_id: 's',
      properties: { order_id: orderId, total: 9.5 },
      context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
    };
    const stored = await request(`${product.baseUrl}/events/track`, {
      json: event,
      headers: { 'x-api-key': eventKey },
    });
    expect(stored.status).toBe(201);
    expect((await readOrder(orderId)).status).toBe(404);
  });
});
