import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  eventually,
  ManagedProcess,
  NODE_BINARY,
  ownerPool,
  programEnvironment,
  REPOSITORY_ROOT,
  request,
  type TestDatabase,
  uniqueName,
} from '@truetally/testing';
import { plainPurchase, type Product, sharedProduct } from '@truetally/testing-product';
import type pg from 'pg';

const ORDERS = 60;
const ORIGIN = 'https://shop.example';

describe('the example workers, at the running product', () => {
  let product: Product;
  let siteId: string;
  let apiKey: string;
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeAll(async () => {
    product = await sharedProduct();
    const site = await product.createSite({ partner: { attribution_model: 'last_touch' } });
    siteId = site.id;
    apiKey = (await product.createApiKey(site)).key;
    database = await createTestDatabase('examples');
    pool = ownerPool(database, 2);
  });

  afterAll(async () => {
    await pool.end();
    await product.stop();
  });

  async function startExample(name: string, group: string): Promise<ManagedProcess> {
    const { kafkaBrokers, topicPrefix } = product.installation;
    const databaseUrl = new URL(database.ownerUrl);
    databaseUrl.searchParams.set('options', `-c search_path=${database.schema}`);
    const worker = await ManagedProcess.start({
      name,
      command: NODE_BINARY,
      args: [join(REPOSITORY_ROOT, 'examples', name, 'index.mjs')],
      env: {
        ...programEnvironment(),
        KAFKA_BROKERS: kafkaBrokers,
        KAFKA_TOPIC_PREFIX: topicPrefix,
        DATABASE_URL: databaseUrl.href,
        WORKER_GROUP: group,
      },
    });
    await eventually(() => worker.output().includes(' follows ') || !worker.isRunning);
    expect({ isRunning: worker.isRunning, output: worker.output() }).toMatchObject({ isRunning: true });
    return worker;
  }

  const order = (number: number): string => `example-${siteId}-${String(number).padStart(3, '0')}`;

  async function post(path: string, json: object, headers: object = { 'x-api-key': apiKey }): Promise<void> {
    const { status } = await request(`${product.baseUrl}/partner-attribution/${path}`, {
      json,
      headers: { ...headers },
    });
    expect(status).toBe(201);
  }

  async function sell(from: number, to: number, touchIds: readonly string[] = []): Promise<void> {
    for (let number = from; number < to; number += 1) {
      const { event_type, conversion } = plainPurchase({
        siteId,
        orderId: order(number),
        occurredAt: new Date().toISOString(),
      }) as { readonly event_type: string; readonly conversion: object };
      await post('conversions', { event_type, conversion: { ...conversion, touch_ids: touchIds } });
    }
  }

  async function refund(number: number, amount: string): Promise<void> {
    const adjustment = {
      schema_version: 1,
      idempotency_key: `return-${order(number)}`,
      website_id: siteId,
      order_id: order(number),
      occurred_at: new Date().toISOString(),
      currency: 'EUR',
      revenue_delta: `-${amount}`,
      commissionable_delta: `-${amount}`,
      reason: 'return',
    };
    await post('conversions', { event_type: 'adjustment', adjustment });
  }

  /** A visit that the partner brought, as a page tells it. */
  async function touch(touchId: string, partner: object, minutesAgo: number): Promise<void> {
    const headers = { origin: ORIGIN };
    const json = { site_id: siteId };
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, { json, headers });
    const one = {
      schema_version: 1,
      touch_id: touchId,
      ...partner,
      direction: 'inbound',
      provider_click_id: 'click-1',
      landing_path: '/shoes',
      occurred_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
      provenance: 'browser_sdk',
      session_id: 'session-1',
    };
    const authorization = `Bearer ${issued.body.data?.token}`;
    await post('touches', { touches: [one] }, { ...headers, authorization });
  }

  /** Of our site: the topics are those of all tests of the run. */
  const mails = async (): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ order_id: string }>(
      'select order_id from order_mails where order_id like $1 order by order_id',
      [`example-${siteId}-%`],
    );
    return rows.map(({ order_id }) => order_id);
  };

  it('an order has one mail, although its worker is killed in the middle of its work', async () => {
    const group = uniqueName('order-mailer');
    let worker = await startExample('order-mailer', group);
    const selling = sell(0, ORDERS);
    for (const atLeast of [5, 20, 40]) {
      await eventually(async () => (await mails()).length >= atLeast);
      await worker.stop('SIGKILL');
      worker = await startExample('order-mailer', group);
    }
    await selling;
    await eventually(async () => (await mails()).length >= ORDERS);
    expect(await mails()).toEqual(Array.from({ length: ORDERS }, (_, number) => order(number)));
    expect(await worker.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(worker.output()).toContain('has stopped');
  });

  it("a partner's revenue is what its touches earn now, although its worker is killed", async () => {
    const group = uniqueName('revenue');
    let worker = await startExample('revenue-by-partner', group);
    // Of two networks that call their partners by the same id.
    const partner_id = `partner-${siteId}`;
    const [early, late] = [
      { provider: 'awin', partner_id },
      { provider: 'cj', partner_id },
    ];
    const unpaid = { provider: 'awin', partner_id: `unpaid-${siteId}` };
    for (const partner of [early, late]) {
      const terms = { type: 'percentage', rate: '0.1', effective_from: '2025-01-01T00:00:00Z' };
      await post('commission-rules', { website_id: siteId, ...partner, ...terms });
    }
    const [earlyTouch, lateTouch, unpaidTouch] = [randomUUID(), randomUUID(), randomUUID()];
    await touch(earlyTouch, early, 3);
    await touch(unpaidTouch, unpaid, 1);
    const totals = async (): Promise<readonly object[]> => {
      const { rows } = await pool.query<object>(
        `select provider, orders, revenue, commission from revenue_by_partner
         where partner like $1 and currency = 'EUR' order by partner, provider`,
        [`%-${siteId}`],
      );
      return rows;
    };
    const becomes = (all: readonly object[]): Promise<true> =>
      eventually(async () => JSON.stringify(await totals()) === JSON.stringify(all));
    await sell(ORDERS, ORDERS + 10, [earlyTouch, unpaidTouch]);
    await eventually(async () => (await totals()).length > 0);
    await worker.stop('SIGKILL');
    worker = await startExample('revenue-by-partner', group);
    await sell(ORDERS + 10, ORDERS + 20, [earlyTouch, lateTouch, unpaidTouch]);
    await becomes([{ provider: 'awin', orders: '20', revenue: '400.00', commission: '40.00' }]);
    // It takes ten orders from the early one. 10 % of 14.45 are 1.445, which is 1.44.
    await touch(lateTouch, late, 2);
    await refund(ORDERS + 19, '5.55');
    await becomes([
      { provider: 'awin', orders: '10', revenue: '200.00', commission: '20.00' },
      { provider: 'cj', orders: '10', revenue: '194.45', commission: '19.44' },
    ]);
    expect(await worker.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
