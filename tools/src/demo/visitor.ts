import { request } from '@truetally/processes';
import { type DemoShop } from './demo-shop.js';

/** A short-lived token for a browser, bound to the origin of the page. */
export async function visitorHeaders(
  baseUrl: string,
  shop: Pick<DemoShop, 'origin' | 'siteId'>,
): Promise<Record<string, string>> {
  const { origin, siteId } = shop;
  const { body, text } = await request<{ token: string }>(`${baseUrl}/runtime/tokens`, {
    json: { site_id: siteId },
    headers: { origin },
  });
  if (body.data === undefined) throw new Error(`No runtime token was given: ${text}`);
  return { authorization: `Bearer ${body.data.token}`, origin };
}
