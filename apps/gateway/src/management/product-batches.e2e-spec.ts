import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import type { ProductResource, SiteResource } from '@truetally/contracts/management';
import { type Answer, request } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { everyPage, feedItem, openShop, resourceOf } from '../testing/catalogue.js';
import { Merchant } from '../testing/merchant.js';

describe('interface page, section 9: PUT /products/batch', () => {
  let product: Product;
  let merchant: Merchant;
  let site: SiteResource;

  beforeAll(async () => {
    product = await sharedProduct();
    merchant = await Merchant.join(product);
    site = await openShop(merchant);
  });

  afterAll(() => product.stop());

  const put = (products: unknown, siteId = site.id): Promise<Answer<object>> =>
    merchant.put<object>('products/batch', { site_id: siteId, products });
  const withKey = (
    key: string,
    body: object,
    path = 'products/batch',
    method = 'PUT',
  ): Promise<Answer<object>> =>
    request<object>(`${product.baseUrl}/${path}`, { method, json: body, headers: { 'x-api-key': key } });

  it('creates new products, updates changed ones, and does not touch equal ones', async () => {
    const { id } = await openShop(merchant);
    const first = await put([feedItem('a'), feedItem('b'), feedItem('c')], id);
    expect([first.status, first.body.data]).toEqual([200, { created: 3, updated: 0 }]);
    const before = await everyPage(merchant, `products?site_id=${id}`);
    const again = await put([feedItem('d'), feedItem('b', { price: 13 }), feedItem('a')], id);
    expect([again.status, again.body.data]).toEqual([200, { created: 1, updated: 2 }]);
    const after = await everyPage(merchant, `products?site_id=${id}`);
    const versions = after.map(({ product_id, version, price }) => [product_id, version, price]);
    expect(versions.sort()).toEqual([
      ['a', 1, '12.50'],
      ['b', 2, '13.00'],
      ['c', 1, '12.50'],
      ['d', 1, '12.50'],
    ]);
    const idsOf = (products: readonly ProductResource[]) =>
      new Map(products.map((one) => [one.product_id, `${one.id} ${one.created_at}`]));
    for (const [productId, kept] of idsOf(before)) expect(idsOf(after).get(productId)).toBe(kept);
  });

  it('replaces a whole product: omitted fields are absent', async () => {
    const { id } = await openShop(merchant);
    await put([feedItem('a', { attributes: { colour: 'red' }, availability: 'preorder' })], id);
    await put([{ product_id: 'a', title: 'Bare' }], id);
    const [bare] = await everyPage(merchant, `products?site_id=${id}`);
    expect(bare).toMatchObject({ title: 'Bare', url: null, price: null, attributes: {}, version: 2 });
    expect(bare?.availability).toBe('in_stock');
  });

  it('names every broken rule of every product, and stores nothing then', async () => {
    const { id } = await openShop(merchant);
    const answer = await put(
      [feedItem('a'), feedItem('b', { price: '0.001' }), { product_id: 'a', title: '', colour: 'red' }, 7],
      id,
    );
    expect([answer.status, answer.body.error]).toMatchObject([400, { code: 'VALIDATION_ERROR' }]);
    expect(answer.body.error?.details).toEqual({
      'products.1.price': ['must have at most 2 decimals in EUR; got 3'],
      'products.2.title': ['must be a non-empty string of at most 512 characters; got an empty string'],
      'products.2.colour': ['is not a known field'],
      'products.2.product_id': ['is the product_id of products.0 too'],
      'products.3': ['must be an object; got a number'],
    });
    expect(await everyPage(merchant, `products?site_id=${id}`)).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['an empty array', []],
    ['an array of 1001 items', Array.from({ length: 1_001 }, (_, n) => feedItem(String(n)))],
    ['nothing', undefined],
    ['an object', { 0: feedItem('a') }],
  ])('refuses %s', async (shape, products) => {
    const answer = await put(products);
    expect([answer.status, answer.body.error?.details]).toEqual([
      400,
      { products: [`must be an array of 1 to 1000 items; got ${shape}`] },
    ]);
  });

  it('takes 1,000 at once, compressed too, and refuses more than 1 MiB', async () => {
    const products = Array.from({ length: 1_000 }, (_, n) => feedItem(`m${n}`, { attributes: { n } }));
    const answer = await request<object>(`${product.baseUrl}/products/batch`, {
      method: 'PUT',
      body: gzipSync(JSON.stringify({ site_id: site.id, products })),
      headers: {
        authorization: `Bearer ${merchant.token}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
    });
    expect([answer.status, answer.body.data]).toEqual([200, { created: 1_000, updated: 0 }]);
    const large = products.map((one) => ({ ...one, attributes: { text: 'x'.repeat(1_100) } }));
    expect((await put(large)).status).toBe(413);
  });

  describe('with an API key', () => {
    it('accepts one of scope commerce:write, only for its own site', async () => {
      const other = await openShop(merchant);
      const { key } = await product.createApiKey(site, { scopes: ['commerce:write'] });
      const products = [feedItem(randomUUID())];
      const own = await withKey(key, { site_id: site.id.toUpperCase(), products });
      expect([own.status, own.body.data]).toEqual([200, { created: 1, updated: 0 }]);
      expect(own.headers.get('x-ratelimit-limit')).toBe('100000000');
      const theirs = await withKey(key, { site_id: other.id, products });
      expect([theirs.status, theirs.body.error?.code]).toEqual([403, 'FORBIDDEN']);
      const unnamed = await withKey(key, { products });
      expect([unnamed.status, unnamed.body.error?.details]).toEqual([
        400,
        { site_id: ['must be a UUID; got nothing'] },
      ]);
    });

    it('refuses one without the scope with 403, and any on the other routes with 401', async () => {
      const scopes = ['events:write', 'partner_attribution:convert', 'analytics:read'] as const;
      const { key: weak } = await product.createApiKey(site, { scopes: [...scopes] });
      const { key } = await product.createApiKey(site);
      const body = { site_id: site.id, products: [feedItem('k')] };
      const refused = await withKey(weak, body);
      expect([refused.status, refused.body.error?.code]).toEqual([403, 'FORBIDDEN']);
      const single = await withKey(key, { site_id: site.id, ...feedItem('k') }, 'products', 'POST');
      expect([single.status, single.body.error?.code]).toEqual([401, 'UNAUTHORIZED']);
      expect((await request(`${product.baseUrl}/products`, { headers: { 'x-api-key': key } })).status).toBe(
        401,
      );
      expect((await withKey('ck_unknown1_x', body)).status).toBe(401);
    });
  });

  it("a batch of products is 404 for another workspace's site, and 401 without a credential", async () => {
    const outsider = await Merchant.join(product);
    const answer = await outsider.put('products/batch', { site_id: site.id, products: [feedItem('a')] });
    expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    const nobody = await request(`${product.baseUrl}/products/batch`, {
      method: 'PUT',
      json: { site_id: site.id, products: [feedItem('a')] },
    });
    expect(nobody.status).toBe(401);
  });

  it('a batch of products has the same result as its products one by one', async () => {
    const [batched, single] = [await openShop(merchant), await openShop(merchant)];
    const products = [
      feedItem('a', { price: 1, currency: 'JPY' }),
      feedItem('b', { price: null }),
      feedItem('c', { title: 'a\u0000b', attributes: { n: 1, deep: { list: [null, 'x'] } } }),
    ];
    await put(products, batched.id);
    for (const one of products) resourceOf(await merchant.post('products', { site_id: single.id, ...one }));
    const said = async ({ id }: SiteResource) =>
      (await everyPage(merchant, `products?site_id=${id}`))
        .map((one) => ({ ...one, id: '', site_id: '', created_at: '', updated_at: '' }))
        .sort((one, other) => (one.product_id < other.product_id ? -1 : 1));
    expect(await said(batched)).toEqual(await said(single));
  });
});
