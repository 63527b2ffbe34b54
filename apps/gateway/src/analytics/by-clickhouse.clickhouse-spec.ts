import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Funnel, Overview, Timeseries } from '@truetally/contracts/analytics';
import type { EventResource } from '@truetally/contracts/events';
import type { SiteResource } from '@truetally/contracts/management';
import { eventually, type LocalClickHouse, request, startClickHouse, testStack } from '@truetally/testing';
import { createPool } from '@truetally/persistence';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { Merchant } from '../testing/merchant.js';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';
const WINDOW = 'from=2026-03-28&to=2026-03-31';
const SLOW = { timeoutMs: 240_000 };

interface Shop {
  readonly id: string;
  readonly owner: Merchant;
  readonly key: string;
}

describe('a product whose events are in ClickHouse', () => {
  let clickHouse: LocalClickHouse;
  let product: LaunchedProduct;

  beforeAll(async () => {
    clickHouse = await startClickHouse();
    const analytics = {
      ANALYTICS_STORE: 'clickhouse',
      CLICKHOUSE_URL: clickHouse.url,
      CLICKHOUSE_KAFKA_BROKERS: testStack().kafkaBrokers,
    };
    product = await launchProduct({ inOneProcess: true, env: { analytics } });
  });

  afterAll(async () => {
    await product.stop();
    await clickHouse.stop();
  });

  async function open(): Promise<Shop> {
    const owner = await Merchant.join(product);
    const created = await owner.post<SiteResource>('sites', {
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: ['https://shop.example'],
      timezone: 'Europe/Berlin',
    });
    const site = created.body.data;
    if (site === undefined) throw new Error(created.text);
    const { key } = await product.createApiKey(site, { scopes: ['events:write', 'analytics:read'] });
    return { id: site.id, owner, key };
  }

  async function send({ key }: Shop, events: readonly object[]): Promise<void> {
    const json = {
      events: events.map((event) => ({
        client_event_id: randomUUID(),
        context: { page_url: 'https://shop.example/', user_agent: AGENT, device_type: 'mobile' },
        ...event,
      })),
    };
    const answer = await request(`${product.baseUrl}/events/batch`, { headers: { 'x-api-key': key }, json });
    expect(answer.status).toBe(201);
  }

  async function read<T>({ id, key }: Shop, report: string, query: string = WINDOW): Promise<T> {
    const url = `${product.baseUrl}/analytics/${report}?site_id=${id}&${query}`;
    const answer = await request<T>(url, { headers: { 'x-api-key': key } });
    if (answer.body.data === undefined) throw new Error(answer.text);
    return answer.body.data;
  }

  /** The statement's number, as an operator asks ClickHouse for it. */
  async function count(condition: string): Promise<number> {
    const body = `select count() as n from events final where ${condition}`;
    const answer = await fetch(clickHouse.url.replace('/analytics', '/?database=analytics'), {
      method: 'POST',
      body,
    });
    return (JSON.parse(await answer.text()) as { n: number }).n;
  }

  function counted(shop: Shop, events: number): Promise<unknown> {
    return eventually(async () => (await read<Overview>(shop, 'overview')).events === events, SLOW);
  }

  it('reports follow events through the Kafka engine of ClickHouse, and none of them is in Postgres', async () => {
    const shop = await open();
    await send(shop, [
      { event_type: 'page_view', session_id: 'a', occurred_at: '2026-03-29T00:30:00Z' },
      { event_type: 'page_view', session_id: 'a', occurred_at: '2026-03-29T01:30:00Z' },
      {
        event_type: 'purchase',
        session_id: 'a',
        occurred_at: '2026-03-29T01:40:00Z',
        properties: { order_id: '1', total: 25.5 },
      },
      { event_type: 'page_view', session_id: 'b', occurred_at: '2026-03-30T08:00:00Z' },
    ]);
    const sentAt = new Date().toISOString();
    await counted(shop, 4);
    expect(await read<Overview>(shop, 'overview')).toMatchObject({
      sessions: 2,
      by_type: { page_view: 3, purchase: 1 },
      observed_revenue: [{ currency: 'EUR', amount: '25.50' }],
    });
    const { series } = await read<Timeseries>(shop, 'timeseries', `${WINDOW}&interval=day`);
    expect(series.map(({ events, sessions }) => [events, sessions])).toEqual([
      [0, 0],
      [3, 1],
      [1, 1],
    ]);
    const funnel = `${WINDOW}&steps=page_view,purchase&breakdown=day`;
    const { steps, breakdown } = await read<Funnel>(shop, 'funnel', funnel);
    expect(steps.map(({ sessions }) => sessions)).toEqual([2, 1]);
    expect(breakdown?.map(({ value }) => value)).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    const { items } = await read<{ items: EventResource[] }>(shop, 'events', 'session_id=b');
    expect(items.map(({ event_type, session_id }) => [event_type, session_id])).toEqual([['page_view', 'b']]);
    await eventually(async () => (await read<Overview>(shop, 'overview')).as_of >= sentAt, SLOW);
    const { databaseUrl: url } = product.installation;
    const pool = createPool({ url, schema: product.schema('analytics'), applicationName: 'test', max: 1 });
    const { rows } = await pool.query(`select (select count(*)::integer from events) as events,
      (select count(*)::integer from purchases) as purchases`);
    await pool.end();
    expect(rows).toEqual([{ events: 0, purchases: 1 }]);
  });

  it('an erased person leaves no key of a session in ClickHouse, and every sum as it was', async () => {
    const shop = await open();
    const occurred_at = '2026-03-29T00:30:00Z';
    await send(shop, [
      { event_type: 'page_view', session_id: 'mine', user_id: 'ada', occurred_at },
      { event_type: 'page_view', session_id: 'mine', occurred_at },
      { event_type: 'page_view', session_id: 'hers', occurred_at },
    ]);
    await counted(shop, 3);
    const known = `session_key in (select session_key from events where site_id = '${shop.id}')`;
    expect(await count(known)).toBe(3);
    const keys = await keysOf(shop);
    const erased = await shop.owner.delete<{ job_id: string }>(`profiles/ada?site_id=${shop.id}`);
    await finished(shop, erased.body.data?.job_id ?? '');
    const now = await keysOf(shop);
    expect([keys.length, now.length, now.filter((key) => keys.includes(key)).length]).toEqual([2, 2, 1]);
    expect(await read<Overview>(shop, 'overview')).toMatchObject({ events: 3, sessions: 2 });
  });

  it('a deleted site has no row in ClickHouse', async () => {
    const [shop, other] = [await open(), await open()];
    for (const each of [shop, other]) {
      await send(each, [{ event_type: 'page_view', session_id: 'a', occurred_at: '2026-03-29T00:30:00Z' }]);
      await counted(each, 1);
    }
    const deleted = await shop.owner.delete<{ job_id: string }>(`sites/${shop.id}`);
    await finished(shop, deleted.body.data?.job_id ?? '');
    expect(await count(`site_id = '${shop.id}'`)).toBe(0);
    expect(await count(`site_id = '${other.id}'`)).toBe(1);
  });

  async function keysOf(shop: Shop): Promise<readonly string[]> {
    const body = `select distinct toString(session_key) as key from events final where site_id = '${shop.id}'`;
    const answer = await fetch(clickHouse.url.replace('/analytics', '/?database=analytics'), {
      method: 'POST',
      body,
    });
    const lines = (await answer.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as { key: string }).key);
  }

  function finished(shop: Shop, jobId: string): Promise<unknown> {
    return eventually(async () => {
      const job = await shop.owner.get<{ state: string }>(`jobs/${jobId}`);
      return job.body.data?.state === 'completed';
    }, SLOW);
  }
});
