import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CampaignResource, SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request, uniqueName, untilHourLasts } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { Merchant } from '../testing/merchant.js';

const ORIGIN = 'https://shop.example';
const OTHER_ORIGIN = 'https://www.shop.example';
const SITE = { name: 'Shop', domain: 'shop.example', allowed_origins: [ORIGIN, OTHER_ORIGIN] };

interface Shown {
  readonly items: readonly {
    readonly campaign_id: string;
    readonly name: string;
    readonly content: object;
  }[];
}

describe('interface page, section 9: storefront routes', () => {
  let product: Product;
  let merchant: Merchant;

  beforeAll(async () => {
    product = await sharedProduct();
    merchant = await Merchant.join(product);
  });

  afterAll(() => product.stop());

  /** A site with a runtime token of its page. */
  async function openShop() {
    const site = (await merchant.post<SiteResource>('sites', SITE)).body.data as SiteResource;
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: site.id },
      headers: { origin: ORIGIN },
    });
    const token = issued.body.data?.token ?? '';
    const get = (
      path: string,
      headers: Record<string, string> = {},
      method = 'GET',
    ): Promise<Answer<Shown>> =>
      request(`${product.baseUrl}/public/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, origin: ORIGIN, ...headers },
      });
    const names = async (path: string): Promise<readonly string[]> => {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      return (answer.body.data?.items ?? []).map(({ name }) => name);
    };
    const launch = async (name: string, fields: object = {}): Promise<CampaignResource> => {
      const content = { layout: 'banner', title: name };
      const body = { site_id: site.id, type: 'overlay', name, status: 'active', content, ...fields };
      const created = await merchant.post<CampaignResource>('campaigns', body);
      expect([created.status, created.body.error]).toEqual([201, undefined]);
      return created.body.data as CampaignResource;
    };
    return { site, token, get, names, launch };
  }

  it('give the active campaigns of their type and site, newest first, whole and nothing else', async () => {
    const [shop, other] = [await openShop(), await openShop()];
    const first = await shop.launch('First');
    await shop.launch('Draft', { status: 'draft' });
    const chatbot = { greeting: 'Hi', answers: [{ keywords: ['x'], text: 'y' }] };
    await shop.launch('Bot', { type: 'chatbot', content: chatbot });
    await shop.launch('Shelf', {
      type: 'recommendation',
      content: { strategy: 'popular', placement: 'cart', count: 3 },
    });
    await other.launch('Elsewhere');
    const second = await shop.launch('Second');
    const overlays = await shop.get('overlays');
    expect([overlays.status, overlays.body.data]).toEqual([
      200,
      {
        items: [second, first].map(({ id, name, content }) => ({ campaign_id: id, name, content })),
      },
    ]);
    expect((await shop.get('chatbots')).body.data?.items).toEqual([
      { campaign_id: expect.any(String), name: 'Bot', content: chatbot },
    ]);
    expect(await other.names('overlays')).toEqual(['Elsewhere']);
    expect(await other.names('chatbots')).toEqual([]);
  });

  it('follow status, name and deletion at once where they were changed, and soon elsewhere', async () => {
    const shop = await openShop();
    const { id } = await shop.launch('Live');
    const patch = (body: object) => merchant.patch(`campaigns/${id}`, body);
    await patch({ status: 'paused' });
    expect(await shop.names('overlays')).toEqual([]);
    await patch({ status: 'active', name: 'Renamed' });
    expect(await shop.names('overlays')).toEqual(['Renamed']);
    const elsewhere = () =>
      request<Shown>(`${product.gateways[1]?.baseUrl}/public/overlays`, {
        headers: { authorization: `Bearer ${shop.token}`, origin: ORIGIN },
      });
    await eventually(async () => (await elsewhere()).body.data?.items.length === 1);
    await merchant.delete(`campaigns/${id}`);
    expect(await shop.names('overlays')).toEqual([]);
    await eventually(async () => (await elsewhere()).body.data?.items.length === 0);
  });

  it('show nothing before a schedule begins, and nothing from its end on', async () => {
    const shop = await openShop();
    await shop.launch('From now', { schedule: { from: new Date().toISOString() } });
    await shop.launch('Over', { schedule: { to: new Date().toISOString() } });
    await shop.launch('Next year', { schedule: { from: '2100-01-01T00:00:00Z' } });
    const begins = await shop.launch('Begins', { status: 'paused' });
    const ends = await shop.launch('Ends', { status: 'paused' });
    const schedule = (id: string, fields: object): Promise<unknown> =>
      merchant.patch(`campaigns/${id}`, { status: 'active', schedule: fields });
    let leadMs = 1_000;
    const shownBefore = await eventually(async () => {
      leadMs *= 2;
      const soonMs = Date.now() + leadMs;
      const soon = new Date(soonMs).toISOString();
      await schedule(begins.id, { from: soon });
      await schedule(ends.id, { to: soon });
      const shown = await shop.names('overlays');
      // On a slow machine the instant may have passed meanwhile: then a later one is tried.
      return Date.now() < soonMs && shown;
    });
    expect(shownBefore).toEqual(['Ends', 'From now']);
    await eventually(async () => (await shop.names('overlays')).includes('Begins'));
    expect(await shop.names('overlays')).toEqual(['Begins', 'From now']);
  });

  it('show a campaign to its target: a match in each given list', async () => {
    const shop = await openShop();
    const targeted = (name: string, targeting: object) => shop.launch(name, { targeting });
    await targeted('cart', { page_url_contains: ['/cart', '/checkout'] });
    await targeted('german', { languages: ['DE', 'fr-CH'] });
    await targeted('hand', { device_types: ['mobile', 'tablet'] });
    await targeted('all', { page_url_contains: ['/cart'], languages: ['de'], device_types: ['mobile'] });
    await targeted('everybody', { languages: [] });
    const url = (path: string) => `page_url=${encodeURIComponent(`https://shop.example${path}`)}`;
    expect(await shop.names('overlays')).toEqual(['everybody']);
    expect(await shop.names('overlays?page_url=&language=&device_type=')).toEqual(['everybody']);
    expect(await shop.names(`overlays?${url('/cart?x=1')}`)).toEqual(['everybody', 'cart']);
    expect(await shop.names(`overlays?${url('/checkout')}`)).toEqual(['everybody', 'cart']);
    expect(await shop.names(`overlays?${url('/Cart')}`)).toEqual(['everybody']);
    expect(await shop.names('overlays?language=de-at')).toEqual(['everybody', 'german']);
    expect(await shop.names('overlays?language=den')).toEqual(['everybody']);
    expect(await shop.names('overlays?language=FR-ch')).toEqual(['everybody', 'german']);
    expect(await shop.names('overlays?language=fr')).toEqual(['everybody']);
    expect(await shop.names('overlays?device_type=Tablet')).toEqual(['everybody', 'hand']);
    expect(await shop.names('overlays?device_type=desktop')).toEqual(['everybody']);
    expect(
      await shop.names(`overlays?session_id=s-1&${url('/cart')}&language=de&device_type=mobile`),
    ).toEqual(['everybody', 'all', 'hand', 'german', 'cart']);
  });

  it('carry a strong ETag over data: 304 without a body while it is the same', async () => {
    const shop = await openShop();
    const { id } = await shop.launch('Kept');
    const first = await shop.get('overlays');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toBe('private, max-age=30');
    expect(first.headers.get('vary')).toBe('Origin, Authorization');
    expect(first.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await shop.get('overlays', { 'if-none-match': known });
      expect([again.status, again.text]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(tag);
      expect(again.headers.get('cache-control')).toBe('private, max-age=30');
      expect(again.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(again.headers.get('content-type')).toBeNull();
    }
    expect((await shop.get('overlays', { 'if-none-match': '"other"' })).status).toBe(200);
    const head = await shop.get('overlays', {}, 'HEAD');
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', tag]);
    expect((await shop.get('overlays', { 'if-none-match': tag }, 'HEAD')).status).toBe(304);
    await merchant.patch(`campaigns/${id}`, { content: { title: 'New' } });
    const changed = await shop.get('overlays', { 'if-none-match': tag });
    expect([changed.status, changed.headers.get('etag') === tag]).toEqual([200, false]);
    await merchant.patch(`campaigns/${id}`, { content: { title: 'Kept' } });
    expect((await shop.get('overlays')).headers.get('etag')).toBe(tag);
  });

  it('take a runtime token of this very origin, and nothing else', async () => {
    const shop = await openShop();
    const key = await product.createApiKey(shop.site);
    const { url, token } = { url: `${product.baseUrl}/public/overlays`, token: shop.token };
    for (const headers of [
      {},
      { origin: ORIGIN },
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer ${token}`, origin: OTHER_ORIGIN },
      { authorization: `Bearer ${merchant.token}`, origin: ORIGIN },
      { 'x-api-key': key.key, origin: ORIGIN },
    ]) {
      const answer = await request(url, { headers });
      expect([answer.status, answer.body.error?.code]).toEqual([401, 'UNAUTHORIZED']);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    await merchant.delete(`sites/${shop.site.id}`);
    await eventually(async () => (await shop.get('overlays')).status === 401);
  });

  it.each([
    [`session_id=${'s'.repeat(129)}`, { session_id: ['must be at most 128 characters'] }],
    [`page_url=${'u'.repeat(2_049)}`, { page_url: ['must be at most 2048 characters'] }],
    ['language=de&language=fr', { language: ['must be given once'] }],
    [`device_type=${'d'.repeat(257)}`, { device_type: ['must be at most 256 characters'] }],
  ])('refuse %s', async (query, details) => {
    const answer = await (await openShop()).get(`overlays?${query}`);
    expect([answer.status, answer.body.error?.details]).toEqual([400, details]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('know no other parameter, no other method and no other address', async () => {
    const shop = await openShop();
    expect((await shop.get('overlays?site_id=1')).body.error).toMatchObject({ code: 'BAD_REQUEST' });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await shop.get('chatbots', {}, method);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    }
    expect((await shop.get('recommendations')).status).toBe(404);
    const preflight = await request(`${product.baseUrl}/public/overlays`, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization, if-none-match',
      },
    });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('If-None-Match');
  });

  it('requests for storefront campaigns are counted against the limit of the site', async () => {
    await untilHourLasts();
    const site = await product.createSite({ allowed_origins: [ORIGIN], runtime_hourly_limit: 2 });
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: site.id },
      headers: { origin: ORIGIN },
    });
    const get = (): Promise<Answer<Shown>> =>
      request(`${product.baseUrl}/public/overlays?session_id=${uniqueName('s')}`, {
        headers: { authorization: `Bearer ${issued.body.data?.token}`, origin: ORIGIN },
      });
    expect([(await get()).status, (await get()).status, (await get()).status]).toEqual([200, 200, 429]);
  });
});
