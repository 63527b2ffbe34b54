import { randomUUID } from 'node:crypto';
import type { CampaignResource, Recommendations } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/processes';
import { type DemoShop } from './demo-shop.js';
import { table } from './table.js';
import { visitorHeaders } from './visitor.js';

const WAIT_MS = 240_000;
const NAME = 'Goes with it';
export const CUP = 'SKU-1';
const SAUCER = 'SKU-2';
const BEANS = 'SKU-3';
const PRODUCTS = [
  { product_id: CUP, title: 'Espresso cup', price: '18.50', currency: 'EUR' },
  { product_id: SAUCER, title: 'Saucer', price: '9.00', currency: 'EUR' },
  { product_id: BEANS, title: 'Espresso beans, 1 kg', price: '24.90', currency: 'EUR' },
];
/** What visitors look at, each in one session. */
const VISITS = [
  [CUP, SAUCER],
  [CUP, SAUCER],
  [CUP, BEANS],
];
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36';

/**
 * Some visitors, and what the shop's page recommends with a cup after them.
 * @returns the campaign
 */
export async function playRecommendations(
  baseUrl: string,
  shop: DemoShop,
  ownerToken: string,
  say: (line: string) => void,
): Promise<string> {
  const owner = { authorization: `Bearer ${ownerToken}`, 'x-workspace-id': shop.workspaceId };
  const catalogue = { site_id: shop.siteId, products: PRODUCTS };
  dataOf(await request(`${baseUrl}/products/batch`, { method: 'PUT', headers: owner, json: catalogue }));
  const campaignId = await campaignOf(baseUrl, shop, owner);
  const visitor = await visitorHeaders(baseUrl, shop);
  const events = VISITS.flatMap((products) => viewsOf(shop.origin, products));
  dataOf(await request(`${baseUrl}/events/batch`, { headers: visitor, json: { events } }));
  const path = `recommendations?campaign_id=${campaignId}&product_id=${CUP}`;
  const { items } = await eventually(
    async () => {
      const found = dataOf(await request<Recommendations>(`${baseUrl}/${path}`, { headers: visitor }));
      return found.items.length === PRODUCTS.length - 1 ? found : undefined;
    },
    { message: 'the visits to be recommended by', timeoutMs: WAIT_MS },
  );
  const rows = items.map(({ product_id, title, price, currency, source }) => ({
    product: product_id,
    title,
    price: `${price ?? ''} ${currency ?? ''}`,
    source,
  }));
  say(
    `\nWhat visitors look at together with an espresso cup, GET /${path}\n${table(['product', 'title', 'price', 'source'], rows)}`,
  );
  return campaignId;
}

/** That of an earlier start, else a new one. */
async function campaignOf(
  baseUrl: string,
  { siteId }: DemoShop,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const list = `${baseUrl}/campaigns?site_id=${siteId}&type=recommendation&limit=200`;
  const { items } = dataOf(await request<{ items: readonly CampaignResource[] }>(list, { headers }));
  const known = items.find(({ name }) => name === NAME);
  if (known !== undefined) return known.id;
  const content = { strategy: 'co_view', placement: 'product-page', count: 4 };
  const json = { site_id: siteId, type: 'recommendation', status: 'active', name: NAME, content };
  return dataOf(await request<CampaignResource>(`${baseUrl}/campaigns`, { headers, json })).id;
}

/** Of one visitor. */
function viewsOf(origin: string, products: readonly string[]): readonly object[] {
  const session = `demo-${randomUUID()}`;
  return products.map((product_id) => ({
    event_type: 'product_view',
    session_id: session,
    properties: { product_id },
    context: { page_url: `${origin}/products/${product_id.toLowerCase()}`, user_agent: USER_AGENT },
  }));
}

function dataOf<T>({ status, body, text }: Answer<T>): T {
  if (body.data === undefined) throw new Error(`The answer was ${status}: ${text}`);
  return body.data;
}
