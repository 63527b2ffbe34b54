import { type ShopClient } from './shop-client.js';

/** An event that is stored twice, and one that is refused. @returns their ids, for "Where is my event" */
export async function sendLostEvents(shop: ShopClient): Promise<string[]> {
  const context = { page_url: `${shop.place.origin}/products/sku-1`, user_agent: 'backend' };
  const event = { event_type: 'product_view', session_id: 'lost', context };
  const twice = { ...event, client_event_id: 'sent-twice', properties: { product_id: 'SKU-1' } };
  const stored = await shop.track(twice);
  const duplicate = await shop.track(twice);
  const refused = await shop.track({ ...event, client_event_id: 'without-product', properties: {} });
  return [
    `for "Where is my event": sent-twice is stored as ${stored.body.data?.event_id}, again with request ${duplicate.body.meta.request_id}`,
    `  and without-product is refused (${refused.status}), request ${refused.body.meta.request_id}`,
  ];
}
