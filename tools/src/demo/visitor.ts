import { request } from '@truetally/processes';
import { type DemoShop } from './demo-shop.js';

/** What a browser gets: a short-lived token that is bound to the page's origin. */
export async function visitorHeaders(baseUrl: string, shop: DemoShop): Promise<Record<string, string>> {
  const { origin, siteId } = shop;
  const { body, text } = await request<{ token: string }>(`${baseUrl}/runtime/tokens`, {
    json: { site_id: siteId },
    headers: { origin },
  });
  if (body.data === undefined) throw new Error(`No runtime token was given: ${text}`);
  return { authorization: `Bearer ${body.data.token}`, origin };
}
