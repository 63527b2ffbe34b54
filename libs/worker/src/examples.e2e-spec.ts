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
    const site = await product.createSite();
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

  async function sell(from: number, to: number, touchIds: readonly string[] = []): Promise<void> {
    for (let number = from; number < to; number += 1) {
      const { event_type, conversion } = plainPurchase({
        siteId,
        orderId: order(number),
        occurredAt: new Date().toISOString(),
      }) as { readonly event_type: string; readonly conversion: object };
      const { status } = await request(`${product.baseUrl}/partner-attribution/conversions`, {
        json: { event_type, conversion: { ...conversion, touch_ids: touchIds } },
        headers: { 'x-api-key': apiKey },
      });
      expect(status).toBe(201);
    }
  }

  /** A visit that the partner brought, as a page tells it. @returns its id */
  async function touch(partnerId: string): Promise<string> {
    const headers = { origin: ORIGIN };
    const json = { site_id: siteId };
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, { json, headers });
    const touchId = randomUUID();
    const one = {
      schema_version: 1,
      touch_id: touchId,
      provider: 'awin',
      direction: 'inbound',
      provider_click_id: 'click-1',
      partner_id: partnerId,
      landing_path: '/shoes',
      occurred_at: new Date().toISOString(),
      provenance: 'browser_sdk',
      session_id: 'session-1',
    };
    const { status } = await request(`${product.baseUrl}/partner-attribution/touches`, {
      json: { touches: [one] },
      headers: { ...headers, authorization: `Bearer ${issued.body.data?.token}` },
    });
    expect(status).toBe(201);
    return touchId;
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

  it("a partner's revenue counts each record once, although its worker is killed", async () => {
    const group = uniqueName('revenue');
    let worker = await startExample('revenue-by-partner', group);
    const partner = `partner-${siteId}`;
    const touchId = await touch(partner);
    await sell(ORDERS, ORDERS + 10, [touchId]);
    const totals = async (): Promise<readonly object[]> => {
      const { rows } = await pool.query<object>(
        'select partner, currency, orders, revenue from revenue_by_partner where partner = $1',
        [partner],
      );
      return rows;
    };
    await eventually(async () => (await totals()).length > 0);
    await worker.stop('SIGKILL');
    worker = await startExample('revenue-by-partner', group);
    await sell(ORDERS + 10, ORDERS + 20, [touchId]);
    const all = { partner, currency: 'EUR', orders: '20', revenue: '400.00' };
    await eventually(async () => JSON.stringify(await totals()) === JSON.stringify([all]));
    expect(await worker.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
