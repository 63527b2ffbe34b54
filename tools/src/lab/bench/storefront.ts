import { request } from '@truetally/processes';
import { ask, latency, openShop, SHOP_ORIGIN } from './management.js';
import { load } from './measure.js';
import type { ProductStack } from './product-stack.js';
import type { Row } from './report.js';
import { type Durations, expectOnly } from './scenarios.js';

const OVERLAYS = 1_000;
/** Campaigns that target the requesting page. */
const MEANT = 10;
const MAKERS = 20;
const PAGE = '/products/sku-1';

/**
 * A page's query for its overlays among a site's 1,000 active ones: selected in the gateway's memory, 10
 * returned.
 */
export async function storefrontRows(
  stack: ProductStack,
  { measureSeconds: seconds }: Durations,
): Promise<Row[]> {
  const siteId = await openShop(stack);
  await launchOverlays(stack, siteId);
  const token = await pageToken(stack, siteId);
  const query = new URLSearchParams({
    session_id: 'bench',
    page_url: `${SHOP_ORIGIN}${PAGE}?utm_source=bench`,
    language: 'de-AT',
    device_type: 'mobile',
  });
  const result = await load({
    url: `${stack.baseUrl}/public/overlays?${query}`,
    method: 'GET',
    headers: { authorization: `Bearer ${token}`, origin: SHOP_ORIGIN },
    connections: 1,
    seconds,
    payload: { kind: 'events', eventsPerRequest: 1, idPrefix: '' },
  });
  expectOnly(result, ['200']);
  return [latency(`${MEANT} of ${OVERLAYS} overlays for a page, one connection`, result, 5)];
}

async function launchOverlays(stack: ProductStack, siteId: string): Promise<void> {
  let next = 0;
  const makeSome = async (): Promise<void> => {
    while (next < OVERLAYS) {
      const number = next++;
      await ask(stack, 'campaigns', overlay(siteId, number));
    }
  };
  await Promise.all(Array.from({ length: MAKERS }, makeSome));
}

function overlay(siteId: string, number: number): object {
  const isMeant = number % (OVERLAYS / MEANT) === 0;
  const path = isMeant ? PAGE : `/collections/c-${number}`;
  return {
    site_id: siteId,
    type: 'overlay',
    name: `Overlay ${number}`,
    status: 'active',
    targeting: {
      page_url_contains: [path, `${path}/more`],
      languages: ['de', 'en'],
      device_types: ['mobile'],
    },
    content: {
      layout: 'banner',
      title: `Offer ${number}`,
      body: 'Two for the price of one, until Sunday evening. '.repeat(8),
      cta: { label: 'To the offer', url: `${SHOP_ORIGIN}/offers/${number}` },
      trigger: { type: 'scroll', value: 30 },
    },
  };
}

export async function pageToken({ baseUrl }: ProductStack, siteId: string): Promise<string> {
  const issued = await request<{ token: string }>(`${baseUrl}/runtime/tokens`, {
    json: { site_id: siteId },
    headers: { origin: SHOP_ORIGIN },
  });
  return issued.body.data?.token ?? '';
}
