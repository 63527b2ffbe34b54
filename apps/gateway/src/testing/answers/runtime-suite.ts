import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { conversionsOf } from '../conversions.js';
import { ExperimentShop } from '../experiment-shop.js';
import { touch } from '../touch-page.js';
import { type AnswerWalk, membersHeaders, pageHeaders } from './answer-walk.js';

const CREATED = 201;
const OK = 200;

/** Answers of the routes that pages and backends call: events, touches, conversions and what is shown. */
export function runtimeAnswers(walk: () => AnswerWalk): void {
  describe('events, touches, conversions and storefronts', () => {
    let shop: ExperimentShop;

    beforeAll(async () => {
      shop = await ExperimentShop.open(walk().product);
    });

    const backend = (json: unknown) => ({ headers: { 'x-api-key': shop.key }, json });
    const page = (json?: unknown) => ({ headers: pageHeaders(shop), ...(json !== undefined && { json }) });
    const event = (changes: object = {}) => ({
      event_type: 'page_view',
      session_id: 'session-1',
      client_event_id: randomUUID(),
      context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
      ...changes,
    });

    it('an event, and the same again', async () => {
      const one = event();
      const send = async () => (await walk().send('POST', 'events/track', backend(one))).status;
      const statuses = [await send(), await send()];
      expect(statuses).toEqual([CREATED, OK]);
    });

    it('a batch, with duplicates and with items that fail', async () => {
      const one = event();
      const whole = await walk().send('POST', 'events/batch', backend({ events: [one, one] }));
      const part = await walk().send(
        'POST',
        'events/batch',
        page({ events: [event(), { ...one, context: 1 }, 7] }),
      );
      const none = await walk().send('POST', 'events/batch', backend({ events: [null] }));
      expect([whole.status, part.status, none.status]).toEqual([CREATED, 207, 207]);
    });

    it('a token', async () => {
      const headers = { origin: pageHeaders(shop).origin };
      await walk().succeed('POST', 'runtime/tokens', { headers, json: { site_id: shop.site.id } });
    });

    it('the files of the browser SDK', async () => {
      const { headers } = await walk().send('GET', '/sdk/v1/manifest.json');
      const tagged = { 'if-none-match': String(headers.get('etag')) };
      const again = await walk().send('GET', '/sdk/v1/manifest.json', { headers: tagged });
      expect(again.status).toBe(304);
    });

    it('touches, new and known, and their list', async () => {
      const touches = [
        touch(),
        touch({ direction: 'outbound', landing_path: null, provider_click_id: null, partner_id: null }),
      ];
      const send = async () =>
        (await walk().send('POST', 'partner-attribution/touches', page({ touches }))).status;
      const statuses = [await send(), await send()];
      expect(statuses).toEqual([CREATED, OK]);
      const list = `partner-attribution/touches?website_id=${shop.site.id}&limit=1`;
      const { next_cursor } = await walk().succeed('GET', list, { headers: { 'x-api-key': shop.key } });
      await walk().succeed('GET', `${list}&cursor=${encodeURIComponent(String(next_cursor))}`, {
        headers: membersHeaders(shop.merchant),
      });
    });

    it('commission rules of both types, new and known, and their list', async () => {
      const rule = { website_id: shop.site.id, provider: 'awin', effective_from: '2025-01-01T00:00:00Z' };
      const percentage = { ...rule, type: 'percentage', rate: '0.05' };
      const fixed = { ...rule, partner_id: 'partner-2', type: 'fixed', amount: '1.50', currency: 'EUR' };
      const statuses = [];
      for (const one of [percentage, fixed, percentage]) {
        const path = 'partner-attribution/commission-rules';
        statuses.push((await walk().send('POST', path, backend(one))).status);
      }
      expect(statuses).toEqual([CREATED, CREATED, OK]);
      const list = `partner-attribution/commission-rules?website_id=${shop.site.id}`;
      await walk().succeed('GET', list, { headers: { 'x-api-key': shop.key } });
    });

    it('an order with every kind of entry, and a touch that comes later', async () => {
      const orderId = randomUUID();
      const { purchase, adjustment, cancellation } = conversionsOf(shop.site.id);
      const late = touch();
      const [known] = [touch()];
      await walk().succeed('POST', 'partner-attribution/touches', page({ touches: [known] }));
      const bought = purchase(orderId, {
        touch_ids: [known['touch_id'], late['touch_id']],
        margin: { amount: '3.00', basis: 'estimated', source: 'erp' },
      });
      const convert = async (json: unknown) =>
        (await walk().send('POST', 'partner-attribution/conversions', backend(json))).status;
      expect([await convert(bought), await convert(bought)]).toEqual([CREATED, OK]);
      await walk().succeed('POST', 'partner-attribution/touches', page({ touches: [late] }));
      const path = `partner-attribution/orders/${orderId}?website_id=${shop.site.id}`;
      const read = () =>
        walk().succeed<{ commission_entries: readonly unknown[] }>('GET', path, backend(undefined));
      await eventually(async () => (await read()).commission_entries.length > 0);
      expect(await convert(adjustment(orderId, 2, { margin_delta: '-1.00' }))).toBe(CREATED);
      await convert(cancellation(orderId, 3));
      await read();
      await walk().succeed('GET', `${path}&limit=1`, { headers: membersHeaders(shop.merchant) });
      const json = { website_id: shop.site.id };
      const headers = membersHeaders(shop.merchant);
      await walk().succeed('POST', 'partner-attribution/chain/verifications', { json, headers });
      for (const path of ['orders', 'chain', 'chain/records']) {
        const list = `partner-attribution/${path}?website_id=${shop.site.id}`;
        await walk().succeed('GET', list, { headers: membersHeaders(shop.merchant) });
      }
    });

    it('content for pages, with and without their current tag', async () => {
      await shop.campaign('overlay');
      await shop.campaign('chatbot');
      const shelf = await shop.campaign('recommendation');
      const recommended = `recommendations?campaign_id=${shelf}`;
      const product = { site_id: shop.site.id, product_id: 'SKU-1', title: 'Cup' };
      await shop.merchant.post('products', product);
      const view = { event_type: 'product_view', properties: { product_id: 'SKU-1' } };
      await walk().send('POST', 'events/track', backend(event(view)));
      await eventually(async () => {
        const { items } = await walk().succeed<{ items: readonly object[] }>('GET', recommended, page());
        return items.length === 1;
      });
      for (const path of ['public/overlays', 'public/chatbots', recommended]) {
        const { headers } = await walk().send('GET', path, page());
        const tagged = { ...pageHeaders(shop), 'if-none-match': String(headers.get('etag')) };
        expect((await walk().send('GET', path, { headers: tagged })).status).toBe(304);
      }
    });
  });
}
