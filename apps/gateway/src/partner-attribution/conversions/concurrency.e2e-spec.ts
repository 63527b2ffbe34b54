import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ConversionAccepted, OrderResource } from '@truetally/contracts/attribution';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, request } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { conversionsOf } from '../../testing/conversions.js';

const COPIES = 40;
const ADJUSTMENTS = 120;

/** Over two gateways and two ledgers, so that no guarantee depends on a single process. */
describe('interface page, section 6: conversions that arrive at the same time', () => {
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

  /** To each gateway in turn. */
  const sendAll = (all: readonly unknown[]): Promise<readonly Answer<ConversionAccepted>[]> =>
    Promise.all(
      all.map((json, index) => {
        const gateway = product.gateways[index % product.gateways.length] ?? product.gateway;
        return request<ConversionAccepted>(`${gateway.baseUrl}/partner-attribution/conversions`, {
          json,
          headers: { 'x-api-key': key },
        });
      }),
    );
  const statusesOf = (answers: readonly Answer<unknown>[]): readonly number[] =>
    answers.map(({ status }) => status).sort();
  async function readOrder(orderId: string): Promise<OrderResource> {
    const url = `${product.baseUrl}/partner-attribution/orders/${orderId}?website_id=${site.id}`;
    const { body } = await request<OrderResource>(url, { headers: { 'x-api-key': key } });
    if (body.data === undefined) throw new Error('The order was not read.');
    return body.data;
  }

  it('copies of one purchase: one 201, and every other answer is that one, deduplicated', async () => {
    const orderId = randomUUID();
    const answers = await sendAll(Array<unknown>(COPIES).fill(bodies.purchase(orderId)));
    expect(statusesOf(answers)).toEqual([...Array<number>(COPIES - 1).fill(200), 201]);
    const first = answers.find(({ status }) => status === 201)?.body.data;
    for (const { status, body } of answers) {
      expect(body.data).toEqual({ ...first, deduplicated: status === 200 });
    }
    expect((await readOrder(orderId)).entries.length).toBe(1);
  });

  it('purchases of one order under different keys: one 201, the others 409', async () => {
    const orderId = randomUUID();
    const answers = await sendAll(Array.from({ length: COPIES }, () => bodies.purchase(orderId)));
    expect(statusesOf(answers)).toEqual([201, ...Array<number>(COPIES - 1).fill(409)]);
    expect((await readOrder(orderId)).entries.length).toBe(1);
  });

  it('adjustments of one order: the accepted ones sum to the balance, to the minor unit, in the order of their times', async () => {
    const orderId = randomUUID();
    const [bought] = await sendAll([bodies.simplePurchase(orderId, '1.00')]);
    expect(bought?.status).toBe(201);
    const sent = Array.from({ length: ADJUSTMENTS }, (_, index) =>
      bodies.adjustment(orderId, 2, {
        revenue_delta: '-0.01',
        commissionable_delta: '-0.01',
        occurred_at: new Date(Date.UTC(2026, 1, 1) + index).toISOString(),
      }),
    );
    const answers = await sendAll(sent);
    expect([...new Set(statusesOf(answers))].filter((status) => status !== 201 && status !== 409)).toEqual(
      [],
    );
    const accepted = answers.filter(({ status }) => status === 201);
    const order = await readOrder(orderId);
    expect(order.entries.length).toBe(1 + accepted.length);
    expect(order.remaining_revenue).toBe((1 - accepted.length / 100).toFixed(2));
    const times = order.entries.map(({ occurred_at }) => occurred_at);
    expect([...new Set(times)].sort()).toEqual(times);
    const again = await sendAll(sent.filter((_, index) => answers[index]?.status === 201));
    expect(statusesOf(again)).toEqual(accepted.map(() => 200));
    expect(again.map(({ body }) => body.data?.record_id)).toEqual(
      accepted.map(({ body }) => body.data?.record_id),
    );
  });

  it('many orders do not disturb each other, also where every other one is refused', async () => {
    const orders = Array.from({ length: COPIES }, () => randomUUID());
    const answers = await sendAll(
      orders.flatMap((orderId) => [bodies.purchase(orderId), bodies.adjustment(randomUUID(), 2)]),
    );
    expect(answers.map(({ status }) => status)).toEqual(orders.flatMap(() => [201, 409]));
  });
});
