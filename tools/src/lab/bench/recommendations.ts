import { randomUUID } from 'node:crypto';
import type { CampaignResource, Recommendations } from '@truetally/contracts/management';
import { eventually, request } from '@truetally/processes';
import { ask, latency, openShop, SHOP_ORIGIN } from './management.js';
import { NUMBER } from './load-job.js';
import { load } from './measure.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';
import { type Durations, expectOnly } from './scenarios.js';
import { ShoppingHabits } from './shopping-habits.js';
import { pageToken } from './storefront.js';

const SEED = 27;
const TOLD_ORDERS = 12_000;
const ASKED_ORDERS = 1_000;
const PRODUCTS_PER_BATCH = 1_000;
const EVENTS_PER_BATCH = 100;
const AT_ONCE = 8;
const SHOWN = 10;
const CONNECTIONS = 50;
const HOURLY_LIMIT = 100_000_000;
const FOLDED_WITHIN_MS = 240_000;
/** Interface page and issue: what is bought together must say more than what everybody buys. */
const LEAST_TIMES_POPULAR = 2;

/**
 * How often one of ten recommended products is the next of an order that was never told, against the ten most popular
 * ones, over HTTP; and what an answer costs.
 */
export async function recommendationRows(
  stack: ProductStack,
  { measureSeconds: seconds }: Durations,
): Promise<Row[]> {
  const habits = new ShoppingHabits(SEED);
  const siteId = await openShop(stack, { runtime_hourly_limit: HOURLY_LIMIT });
  const shop: Shop = { stack, siteId, token: await pageToken(stack, siteId) };
  await fillCatalogue(shop, habits.products);
  const bought = await launch(shop, 'co_purchase');
  const popular = await launch(shop, 'popular');
  await tellOrders(shop, habits);
  await untilFolded(shop, bought);
  const asked = Array.from({ length: ASKED_ORDERS }, () => habits.order());
  const hits = await hitRate(shop, bought, asked);
  const popularHits = await hitRate(shop, popular, asked);
  const result = await load({
    // Every visitor looks at another product.
    url: `${urlOf(shop, bought)}&product_id=p-${NUMBER}&session_id=bench-${NUMBER}`,
    method: 'GET',
    headers: headersOf(shop),
    connections: CONNECTIONS,
    seconds,
    payload: { kind: 'events', eventsPerRequest: 1, idPrefix: '', distinctRequests: habits.products.length },
  });
  expectOnly(result, ['200']);
  return [
    { name: `hit rate at ${SHOWN} of popular products`, figure: inPercent(popularHits) },
    {
      name: `hit rate at ${SHOWN} of products bought together`,
      figure: inPercent(hits),
      ratio: hits / popularHits,
      target: `≥ ${LEAST_TIMES_POPULAR} × popular`,
      isMet: hits >= LEAST_TIMES_POPULAR * popularHits,
    },
    latency(
      `${SHOWN} recommendations for other sessions and products, ${CONNECTIONS} connections`,
      result,
      30,
    ),
  ];
}

interface Shop {
  readonly stack: ProductStack;
  readonly siteId: string;
  readonly token: string;
}

async function fillCatalogue({ stack, siteId }: Shop, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += PRODUCTS_PER_BATCH) {
    const products = ids
      .slice(from, from + PRODUCTS_PER_BATCH)
      .map((product_id) => ({ product_id, title: `Product ${product_id}` }));
    const answer = await request(`${stack.baseUrl}/products/batch`, {
      method: 'PUT',
      json: { site_id: siteId, products },
      headers: { authorization: `Bearer ${stack.ownerToken}`, 'x-workspace-id': stack.workspaceId },
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  }
}

async function launch({ stack, siteId }: Shop, strategy: string): Promise<string> {
  const content = { strategy, placement: 'cart', count: SHOWN };
  const body = { site_id: siteId, type: 'recommendation', name: strategy, status: 'active', content };
  return (await ask<CampaignResource>(stack, 'campaigns', body)).id;
}

async function tellOrders(shop: Shop, habits: ShoppingHabits): Promise<void> {
  const batches = Array.from({ length: TOLD_ORDERS / EVENTS_PER_BATCH }, () =>
    Array.from({ length: EVENTS_PER_BATCH }, () => purchase(habits.order())),
  );
  await together(batches, async (events) => {
    const url = `${shop.stack.baseUrl}/events/batch`;
    const answer = await request(url, { json: { events }, headers: headersOf(shop) });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  });
}

function purchase(products: readonly string[]): object {
  return {
    event_type: 'purchase',
    session_id: randomUUID(),
    properties: { order_id: randomUUID(), total: 1, lines: products.map((product_id) => ({ product_id })) },
    context: { page_url: `${SHOP_ORIGIN}/thanks`, user_agent: 'Mozilla/5.0 Chrome/140.0' },
  };
}

/** Answers stay the same once every order is in them. */
async function untilFolded(shop: Shop, campaignId: string): Promise<void> {
  let before = '';
  let unchanged = 0;
  await eventually(
    async () => {
      const now = JSON.stringify(await together(WATCHED, (id) => recommended(shop, campaignId, id)));
      unchanged = now === before ? unchanged + 1 : 0;
      before = now;
      return unchanged >= QUIET_READINGS;
    },
    { timeoutMs: FOLDED_WITHIN_MS, intervalMs: READING_MS, message: 'the orders to be folded' },
  );
}

const WATCHED = Array.from({ length: 50 }, (_, index) => `p-${index * 40}`);
const QUIET_READINGS = 5;
const READING_MS = 1_000;

/** The share of orders of which one product is recommended with another. */
async function hitRate(
  shop: Shop,
  campaignId: string,
  orders: readonly (readonly string[])[],
): Promise<number> {
  const hits = await together(orders, async ([given = '', hidden = '']) =>
    (await recommended(shop, campaignId, given)).includes(hidden),
  );
  return hits.filter(Boolean).length / orders.length;
}

async function recommended(shop: Shop, campaignId: string, productId: string): Promise<readonly string[]> {
  const headers = headersOf(shop);
  const url = `${urlOf(shop, campaignId)}&product_id=${productId}&session_id=bench`;
  const answer = await request<Recommendations>(url, { headers });
  if (answer.body.data === undefined) throw new Error(`${answer.status} ${answer.text}`);
  return answer.body.data.items.map(({ product_id }) => product_id);
}

function urlOf({ stack }: Shop, campaignId: string): string {
  return `${stack.baseUrl}/recommendations?campaign_id=${campaignId}`;
}

function headersOf({ token }: Shop): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}`, origin: SHOP_ORIGIN };
}

/** Some at a time, in the order given. */
async function together<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const done: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  }
  return done;
}

function inPercent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
