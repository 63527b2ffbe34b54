import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CampaignResource, ProductResource, Recommendations } from '@truetally/contracts/management';
import { type Answer, eventually, request, uniqueName } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { ExperimentShop, sessionIn } from '../testing/experiment-shop.js';
import { ORIGIN } from '../testing/touch-page.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';
const BOT = 'Googlebot/2.1 (+http://www.google.com/bot.html)';
/** Work of other processes, on a slow machine too. */
const SOON = { timeoutMs: 240_000 };

describe('interface page, section 9: GET /recommendations', () => {
  let product: Product;
  let shop: ExperimentShop;
  let coPurchase: string;
  let coView: string;

  beforeAll(async () => {
    product = await sharedProduct();
    shop = await ExperimentShop.open(product);
    await fillCatalogue();
    [coPurchase, coView] = await Promise.all([launch('co_purchase'), launch('co_view')]);
    // Three carts hold tea with a pot; most look at the mug, and nobody buys it.
    await send([
      ...['b1', 'b2', 'b3'].flatMap((session) => [
        event(session, 'product_view', { product_id: 'tea' }),
        event(session, 'purchase', bought('tea', 'pot', 'gone')),
      ]),
      event('b1', 'purchase', bought('tea', 'sieve')),
      ...Array.from({ length: 40 }, (_, index) => event(`v${index}`, 'product_view', { product_id: 'mug' })),
      ...['v1', 'v2'].map((session) => event(session, 'product_view', { product_id: 'tea' })),
      ...Array.from({ length: 50 }, (_, index) =>
        event(`bot${index}`, 'purchase', bought('tea', 'bot-food'), BOT),
      ),
      event('unknown', 'product_view', { product_id: 'not-in-the-catalogue' }),
    ]);
    // The events are counted in several pieces: all lists are as the tests expect them behind the last one only.
    await eventually(async () => {
      const lists = await Promise.all([
        ids({ campaign_id: coPurchase, product_id: 'tea' }),
        ids({ campaign_id: coView, product_id: 'tea' }),
        ids({ campaign_id: coPurchase }),
      ]);
      return lists.join(' ') === 'pot,sieve,mug mug,pot,sieve mug,tea,pot,sieve';
    }, SOON);
  });

  afterAll(() => product.stop());

  async function fillCatalogue(): Promise<void> {
    const item = (product_id: string, fields: object = {}) => ({
      product_id,
      title: `The ${product_id}`,
      ...fields,
    });
    const products = [
      item('tea'),
      item('pot', {
        url: 'https://shop.example/pot',
        image_url: 'https://shop.example/pot.png',
        price: '12.5',
        currency: 'EUR',
      }),
      item('sieve', { availability: 'preorder' }),
      item('mug'),
      item('bot-food'),
      item('gone', { availability: 'discontinued' }),
    ];
    const answer = await shop.merchant.put('products/batch', { site_id: shop.site.id, products });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  }

  async function launch(strategy: string, fields: object = {}, count = 5): Promise<string> {
    const content = { strategy, placement: 'product-page', count };
    const body = {
      site_id: shop.site.id,
      type: 'recommendation',
      name: uniqueName('shelf'),
      status: 'active',
      content,
    };
    const answer = await shop.merchant.post<CampaignResource>('campaigns', { ...body, ...fields });
    return String(answer.body.data?.id);
  }

  const bought = (...lines: readonly string[]) => ({
    order_id: randomUUID(),
    total_amount: 1,
    lines: lines.map((product_id) => ({ product_id })),
  });

  const event = (session: string, type: string, properties: object, agent = BROWSER) => ({
    event_type: type,
    session_id: session,
    client_event_id: randomUUID(),
    properties,
    context: { page_url: 'https://shop.example/', user_agent: agent },
  });

  async function send(events: readonly object[]): Promise<void> {
    for (let from = 0; from < events.length; from += 100) {
      const answer = await request(`${product.baseUrl}/events/batch`, {
        headers: { 'x-api-key': shop.key },
        json: { events: events.slice(from, from + 100) },
      });
      expect(answer.status).toBe(201);
    }
  }

  function ask(
    query: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
    page: ExperimentShop = shop,
  ): Promise<Answer<Recommendations>> {
    return request(`${product.baseUrl}/recommendations?${new URLSearchParams(query).toString()}`, {
      headers: { authorization: `Bearer ${page.token}`, origin: ORIGIN, ...headers },
    });
  }

  async function ids(
    query: Readonly<Record<string, string>>,
    page?: ExperimentShop,
  ): Promise<readonly string[]> {
    const answer = await ask(query, {}, page);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return (answer.body.data?.items ?? []).map(({ product_id }) => product_id);
  }

  const NONE = { recommendation_id: null, placement: null, items: [] };

  it('products are those bought together, then popular ones, with what a page shows of them', async () => {
    const answer = await ask({ campaign_id: coPurchase.toUpperCase(), product_id: 'tea' });
    expect(answer.body.data).toEqual({
      campaign_id: coPurchase,
      recommendation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      placement: 'product-page',
      items: [
        {
          product_id: 'pot',
          title: 'The pot',
          url: 'https://shop.example/pot',
          image_url: 'https://shop.example/pot.png',
          price: '12.50',
          currency: 'EUR',
          availability: 'in_stock',
          source: 'co_purchase',
        },
        {
          ...{
            product_id: 'sieve',
            title: 'The sieve',
            url: null,
            image_url: null,
            price: null,
            currency: null,
          },
          ...{ availability: 'preorder', source: 'co_purchase' },
        },
        expect.objectContaining({ product_id: 'mug', source: 'popular' }),
      ],
    });
    const viewed = await ask({ campaign_id: coView, product_id: 'tea' });
    expect(viewed.body.data?.items.map(({ product_id, source }) => [product_id, source])).toEqual([
      ['mug', 'co_view'],
      ['pot', 'popular'],
      ['sieve', 'popular'],
    ]);
    expect(await ids({ campaign_id: coPurchase })).toEqual(['mug', 'tea', 'pot', 'sieve']);
  });

  it('products that the session has bought are left out, and it has at most as many as asked and as the campaign', async () => {
    expect(await ids({ campaign_id: coPurchase, product_id: 'tea', session_id: 'b1' })).toEqual(['mug']);
    expect(await ids({ campaign_id: coPurchase, product_id: 'tea', limit: '1' })).toEqual(['pot']);
    const one = await launch('co_purchase', {}, 1);
    expect(await ids({ campaign_id: one, product_id: 'tea', limit: '50' })).toEqual(['pot']);
  });

  it('products that cannot be bought any more are left out soon, and the rest moves up', async () => {
    const listed = await shop.merchant.get<{ items: readonly ProductResource[] }>(
      `products?site_id=${shop.site.id}&product_id=pot`,
    );
    const path = `products/${listed.body.data?.items[0]?.id}`;
    const shown = () => ids({ campaign_id: coPurchase, product_id: 'tea' });
    await shop.merchant.patch(path, { availability: 'out_of_stock' });
    await eventually(async () => (await shown()).join() === 'sieve,mug', SOON);
    await shop.merchant.patch(path, { availability: 'in_stock' });
    await eventually(async () => (await shown()).join() === 'pot,sieve,mug', SOON);
  });

  it('campaigns that would not be shown have no products, whatever the reason', async () => {
    const other = await ExperimentShop.open(product, {}, shop.merchant);
    const url = { page_url: 'https://shop.example/cart' };
    const targeted = await launch('popular', { targeting: { page_url_contains: ['/cart'] } });
    const hidden = [
      randomUUID(),
      await launch('popular', { status: 'draft' }),
      await launch('popular', { schedule: { from: '2100-01-01T00:00:00Z' } }),
      await launch('popular', { schedule: { to: new Date().toISOString() } }),
      await shop.campaign('overlay'),
      targeted,
    ];
    for (const campaign_id of hidden) {
      const answer = await ask({ campaign_id });
      expect([answer.status, answer.body.data]).toEqual([200, { campaign_id, ...NONE }]);
    }
    expect((await ask({ campaign_id: coPurchase }, {}, other)).body.data).toEqual({
      campaign_id: coPurchase,
      ...NONE,
    });
    expect(await ids({ campaign_id: targeted, ...url })).toEqual(['mug', 'tea', 'pot', 'sieve']);
  });

  it('products are withheld from the control arm of a running experiment, and its other sessions are told', async () => {
    const measured = await launch('popular');
    const experiment = await shop.running({ surface: 'recommendation' }, [measured]);
    const [control, treatment] = [sessionIn('control', experiment), sessionIn('treatment', experiment)];
    await shop.assigned(control);
    await shop.assigned(treatment);
    const answerTo = async (session_id: string) =>
      (await ask({ campaign_id: measured, session_id })).body.data;
    await eventually(async () => (await answerTo(control))?.items.length === 0, SOON);
    expect(await answerTo(control)).toEqual({ campaign_id: measured, ...NONE });
    await eventually(async () => (await answerTo(treatment))?.in_experiment === true, SOON);
    expect((await answerTo(treatment))?.items).toHaveLength(4);
    expect(await answerTo('of no arm')).toMatchObject({ in_experiment: true });
  });

  it('an answer carries a strong ETag over data: 304 without a body while it is the same', async () => {
    const query = { campaign_id: coPurchase, product_id: 'tea' };
    const first = await ask(query);
    const tag = String(first.headers.get('etag'));
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toBe('private, max-age=30');
    const again = await ask(query, { 'if-none-match': tag });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await ask({ ...query, limit: '1' }, { 'if-none-match': tag })).status).toBe(200);
  });

  it('takes a runtime token of this very origin, and nothing else', async () => {
    for (const headers of [{ authorization: '' }, { origin: 'https://other.example' }]) {
      expect((await ask({ campaign_id: coPurchase }, headers)).status).toBe(401);
    }
    const key = { authorization: '', 'x-api-key': shop.key };
    expect((await ask({ campaign_id: coPurchase }, key)).status).toBe(401);
  });

  it.each([
    [{}, { campaign_id: ['is required'] }],
    [{ campaign_id: '1' }, { campaign_id: ['must be a UUID; got 1 character'] }],
    [{ limit: '0' }, { limit: ['must be a whole number from 1 to 50; got 1 character'] }],
    [{ limit: '51' }, { limit: ['must be a whole number from 1 to 50; got 2 characters'] }],
    [{ limit: '1.5' }, { limit: ['must be a whole number from 1 to 50; got 3 characters'] }],
    [{ session_id: 's'.repeat(129) }, { session_id: ['must be at most 128 characters'] }],
    [{ product_id: 'p'.repeat(129) }, { product_id: [expect.stringContaining('128')] }],
    [{ product_id: 'p\0' }, { product_id: [expect.stringContaining('U+0000')] }],
  ])('%j is refused', async (query: Readonly<Record<string, string>>, details: object) => {
    const known = 'campaign_id' in details ? {} : { campaign_id: coPurchase };
    const answer = await ask({ ...known, ...query });
    expect([answer.status, answer.body.error?.details]).toEqual([400, details]);
  });

  it('knows no other parameter, and an empty one is as none', async () => {
    expect((await ask({ campaign_id: coPurchase, site_id: shop.site.id })).status).toBe(400);
    expect(await ids({ campaign_id: coPurchase, product_id: '', session_id: '' })).toHaveLength(4);
  });
});
