import type { ProductResource, SiteResource } from '@truetally/contracts/management';
import { cursorOf } from '@truetally/kernel';
import { request } from '@truetally/processes';
import pg from 'pg';
import type { LoadJob, LoadResult } from './load-job.js';
import { load } from './measure.js';
import type { Payload } from './payload.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';
import { type Durations, expectOnly, freshPrefix } from './scenarios.js';

export const SHOP_ORIGIN = 'https://bench.example';
const CONNECTIONS = 50;
const BATCH_CONNECTIONS = 4;
const BATCH_PRODUCTS = 1_000;
const FEED_BATCHES = 40;
const PAGE_CONNECTIONS = 1;
const MANY_PRODUCTS = 1_000_000;
/**
 * Tolerance for an index's height and the noise of a shared machine; above it, a page's cost is no longer
 * flat.
 */
const MOST_TIMES_FIRST_PAGE = 1.5;

/** Targets of management: reads and writes, feeds, and deep pages in a large catalogue. */
export async function managementRows(stack: ProductStack, durations: Durations): Promise<Row[]> {
  const shop = new CatalogueLoad(stack, await openShop(stack));
  await warmUp(shop, durations);
  return [
    ...(await reads(shop, durations)),
    await writes(shop, durations),
    ...(await feeds(shop)),
    ...(await deepPages(stack, durations)),
  ];
}

/** Writes and reads before the measurement, as for the other measurements. */
async function warmUp(shop: CatalogueLoad, { warmUpSeconds: seconds }: Durations): Promise<void> {
  await shop.create({ seconds });
  await reads(shop, { warmUpSeconds: 0, measureSeconds: seconds });
}

async function reads(shop: CatalogueLoad, { measureSeconds: seconds }: Durations): Promise<Row[]> {
  const one = await shop.newest();
  return [
    latency(`one product, ${CONNECTIONS} connections`, await shop.get(`products/${one.id}`, { seconds }), 40),
    latency(
      `a page of 50 products, ${CONNECTIONS} connections`,
      await shop.get(`products?site_id=${shop.siteId}`, { seconds }),
      40,
    ),
  ];
}

async function writes(shop: CatalogueLoad, { measureSeconds: seconds }: Durations): Promise<Row> {
  return latency(`new products one by one, ${CONNECTIONS} connections`, await shop.create({ seconds }), 80);
}

async function feeds(shop: CatalogueLoad): Promise<Row[]> {
  const payload: Payload = {
    kind: 'products',
    siteId: shop.siteId,
    eventsPerRequest: BATCH_PRODUCTS,
    idPrefix: freshPrefix(),
    distinctRequests: FEED_BATCHES,
  };
  const names = ['batches of 1,000 new products', 'the same batches once more'];
  const rows: Row[] = [];
  for (const name of names) {
    const result = await shop.put(payload, FEED_BATCHES);
    rows.push({
      name: `${name}, ${BATCH_CONNECTIONS} connections`,
      figure: `${inProducts(result.eventsPerSecond)} (p99 ${result.latencyMs.p99} ms)`,
      target: '≥ 5,000/s',
      isMet: result.eventsPerSecond >= 5_000,
    });
  }
  return rows;
}

/** Pages of a million products, the first ones and those after the first 990,000. */
async function deepPages(stack: ProductStack, { measureSeconds: seconds }: Durations): Promise<Row[]> {
  const shop = new CatalogueLoad(stack, await openShop(stack));
  await fill(stack, shop.siteId);
  const page = `products?site_id=${shop.siteId}`;
  const deep = `${page}&cursor=${await cursorBehind(stack, shop.siteId, MANY_PRODUCTS - 10_000)}`;
  const measure = async (path: string): Promise<LoadResult> =>
    shop.get(path, { seconds, connections: PAGE_CONNECTIONS });
  await measure(page);
  const [first, last] = [await measure(page), await measure(deep)];
  const ratio = first.requestsPerSecond / last.requestsPerSecond;
  return [
    { name: 'the first page of 1,000,000 products, one connection', figure: inLatency(first) },
    {
      name: 'the page behind 990,000 of them',
      figure: inLatency(last),
      ratio,
      target: `≤ ${MOST_TIMES_FIRST_PAGE} × the first`,
      isMet: ratio <= MOST_TIMES_FIRST_PAGE,
    },
  ];
}

/** One site's catalogue under load, with the owner's token. */
class CatalogueLoad {
  constructor(
    private readonly stack: ProductStack,
    readonly siteId: string,
  ) {}

  async get(
    path: string,
    { seconds, connections = CONNECTIONS }: { readonly seconds: number; readonly connections?: number },
  ): Promise<LoadResult> {
    const payload: Payload = { kind: 'events', eventsPerRequest: 1, idPrefix: '' };
    return this.run({ path, method: 'GET', connections, seconds, payload }, '200');
  }

  async create({ seconds }: { readonly seconds: number }): Promise<LoadResult> {
    const payload: Payload = {
      kind: 'products',
      siteId: this.siteId,
      eventsPerRequest: 1,
      idPrefix: freshPrefix(),
    };
    return this.run({ path: 'products', connections: CONNECTIONS, seconds, payload }, '201');
  }

  async put(payload: Payload, amount: number): Promise<LoadResult> {
    return this.run(
      { path: 'products/batch', method: 'PUT', connections: BATCH_CONNECTIONS, amount, payload },
      '200',
    );
  }

  async newest(): Promise<ProductResource> {
    const page = await ask<{ items: ProductResource[] }>(
      this.stack,
      `products?site_id=${this.siteId}&limit=1`,
    );
    const [product] = page.items;
    if (product === undefined) throw new Error('The catalogue is empty.');
    return product;
  }

  private async run(
    { path, ...job }: Omit<LoadJob, 'headers' | 'url'> & { readonly path: string },
    status: string,
  ): Promise<LoadResult> {
    const result = await load({
      ...job,
      url: `${this.stack.baseUrl}/${path}`,
      headers: headersOf(this.stack),
    });
    expectOnly(result, [status]);
    return result;
  }
}

function headersOf({ ownerToken, workspaceId }: ProductStack): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': workspaceId };
}

export async function ask<T>(stack: ProductStack, path: string, json?: object): Promise<T> {
  const answer = await request<T>(`${stack.baseUrl}/${path}`, {
    headers: headersOf(stack),
    ...(json === undefined ? {} : { json }),
  });
  if (answer.body.data === undefined) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.data;
}

export async function openShop(stack: ProductStack, settings: object = {}): Promise<string> {
  const site = { name: 'Bench', domain: 'bench.example', allowed_origins: [SHOP_ORIGIN], ...settings };
  const { id } = await ask<SiteResource>(stack, 'sites', site);
  return id;
}

/** Inserted directly: the reading is measured. */
async function fill(stack: ProductStack, siteId: string): Promise<void> {
  await withOwner(stack, async (owner) => {
    await owner.query(
      `insert into products (id, workspace_id, site_id, product_id, title, price, currency, availability, attributes,
         created_at, updated_at)
       select gen_random_uuid(), $1, $2, 'p' || n, 'Product ' || n, 79.90, 'EUR', 'in_stock', '{"brand":"Northerly"}',
         at, at
       from generate_series(1, ${MANY_PRODUCTS}) as n, lateral (
         select timestamptz '2026-01-01' + n / 1000 * interval '1 second' as at) as t`,
      [stack.workspaceId, siteId],
    );
    await owner.query('vacuum analyze products');
  });
}

async function cursorBehind(stack: ProductStack, siteId: string, products: number): Promise<string> {
  return withOwner(stack, async (owner) => {
    const { rows } = await owner.query<{ at: string; id: string }>(
      `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') || '+00' as at, id from products
       where site_id = $1 order by created_at desc, id desc offset $2 limit 1`,
      [siteId, products - 1],
    );
    return cursorOf(rows[0] ?? { at: '', id: '' });
  });
}

async function withOwner<T>(stack: ProductStack, work: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client({ connectionString: stack.databaseUrl, options: '-c search_path=management' });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

export function latency(name: string, result: LoadResult, mostMs: number): Row {
  const { p99 } = result.latencyMs;
  const figure = `${inLatency(result)}, ${Math.round(result.requestsPerSecond).toLocaleString('en')}/s`;
  return { name, figure, target: `p99 ≤ ${mostMs} ms`, isMet: p99 <= mostMs };
}

const inLatency = ({ latencyMs }: LoadResult): string => `p50 ${latencyMs.p50} ms, p99 ${latencyMs.p99} ms`;
const inProducts = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en')} products/s`;
