import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ProductResource, SiteResource } from '@truetally/contracts/management';
import { type Answer, request } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { everyPage, feedItem, type Listed, openShop, resourceOf } from '../testing/catalogue.js';
import { Merchant } from '../testing/merchant.js';

describe('interface page, section 9: products', () => {
  let product: Product;
  let merchant: Merchant;
  let outsider: Merchant;
  let site: SiteResource;

  beforeAll(async () => {
    product = await sharedProduct();
    [merchant, outsider] = await Promise.all([Merchant.join(product), Merchant.join(product)]);
    site = await openShop(merchant);
  });

  afterAll(() => product.stop());

  const post = (body: object, headers = {}): Promise<Answer<ProductResource>> =>
    merchant.post<ProductResource>('products', { site_id: site.id, ...body }, headers);
  const create = async (changes: object = {}): Promise<ProductResource> =>
    resourceOf(await post(feedItem(randomUUID(), changes)));

  it('products are created with defaults, are directly in data, and can be read', async () => {
    const answer = await post({ product_id: 'SKU 1/ä', title: 'Merino jumper' });
    expect([answer.status, answer.headers.get('etag')]).toEqual([201, '"1"']);
    const created = resourceOf(answer);
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      site_id: site.id,
      product_id: 'SKU 1/ä',
      title: 'Merino jumper',
      url: null,
      image_url: null,
      price: null,
      currency: null,
      availability: 'in_stock',
      attributes: {},
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updated_at: created.created_at,
    });
    const read = await merchant.get<ProductResource>(`products/${created.id}`);
    expect([read.status, read.headers.get('etag'), read.body.data]).toEqual([200, '"1"', created]);
  });

  it('keep every digit of a price and of attributes, through Kafka, Postgres and a replay', async () => {
    const attributes = '{"exact":0.12345678901234567890,"id":9007199254740993,"power":1e400}';
    const key = randomUUID();
    const send = (): Promise<Answer<ProductResource>> =>
      request<ProductResource>(`${product.baseUrl}/products`, {
        method: 'POST',
        body: `{"site_id":"${site.id}","product_id":"digits","title":"Digits","price":90071992547409.93,"currency":"EUR","attributes":${attributes}}`,
        headers: {
          authorization: `Bearer ${merchant.token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
      });
    const [created, replayed] = [await send(), await send()];
    expect([created.status, replayed.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    const read = await merchant.get(`products/${created.body.data?.id}`);
    const listed = await merchant.get(`products?site_id=${site.id}&product_id=digits`);
    for (const { text } of [created, replayed, read, listed]) {
      expect(text).toContain(`"attributes":${attributes}`);
      expect(text).toContain('"price":"90071992547409.93","currency":"EUR"');
    }
  });

  it('name every broken rule at once', async () => {
    const answer = await post({ product_id: '', price: -1, currency: 'XXX', attributes: [], colour: 'red' });
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(answer.body.error?.details).toEqual({
      product_id: ['must be a non-empty string of at most 128 characters; got an empty string'],
      title: ['must be a non-empty string of at most 512 characters; got nothing'],
      price: ['must be at least 0; got -1'],
      currency: ['must be an active ISO 4217 currency code in upper case; got 3 characters'],
      attributes: ['must be an object; got an empty array'],
      colour: ['is not a known field'],
    });
  });

  it('products are one per product_id and site: a second one is 409', async () => {
    const first = await create();
    const again = await post({ product_id: first.product_id, title: 'Again' });
    expect([again.status, again.body.error]).toMatchObject([
      409,
      { code: 'CONFLICT', details: { product_id: ['is already in use on this site'] } },
    ]);
    const elsewhere = await openShop(merchant);
    const there = await post({ site_id: elsewhere.id, product_id: first.product_id, title: 'There' });
    expect(there.status).toBe(201);
    const many = await Promise.all(
      Array.from({ length: 8 }, () => post({ product_id: 'raced', title: 'Raced' })),
    );
    expect(many.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
  });

  describe('when they are changed', () => {
    it('change in the fields of a PATCH; null makes a field absent, a price with its currency', async () => {
      const { id } = await create({ attributes: { colour: 'red', size: 38 }, availability: 'preorder' });
      const changed = await merchant.patch<ProductResource>(`products/${id}`, {
        title: 'Renamed',
        price: null,
        availability: null,
        attributes: { size: null, fit: 'wide' },
      });
      expect([changed.status, changed.headers.get('etag'), changed.body.data]).toMatchObject([
        200,
        '"2"',
        {
          title: 'Renamed',
          url: expect.stringContaining('https://shop.example/'),
          price: null,
          currency: null,
          availability: 'in_stock',
          attributes: { colour: 'red', fit: 'wide' },
          version: 2,
        },
      ]);
      const refused = await merchant.patch(`products/${id}`, { title: null, price: '1.005', version: 9 });
      expect(refused.body.error?.details).toEqual({
        title: ['must be a non-empty string of at most 512 characters; got nothing'],
        currency: ['is required with a price'],
        version: ['is not a known field'],
      });
    });

    it('stay on their site, and take a product_id that is free', async () => {
      const [one, other] = [await create(), await create()];
      const elsewhere = await openShop(merchant);
      const moved = await merchant.patch(`products/${one.id}`, { site_id: elsewhere.id });
      expect([moved.status, moved.body.error?.details]).toEqual([400, { site_id: ['cannot be changed'] }]);
      const taken = await merchant.patch(`products/${one.id}`, { product_id: other.product_id });
      expect([taken.status, taken.body.error?.details]).toEqual([
        409,
        { product_id: ['is already in use on this site'] },
      ]);
      const free = { site_id: site.id.toUpperCase(), product_id: randomUUID() };
      const renamed = await merchant.patch(`products/${one.id}`, free);
      expect([renamed.status, renamed.body.data]).toMatchObject([200, { product_id: free.product_id }]);
    });

    it('take If-Match on PATCH and DELETE', async () => {
      const { id } = await create();
      const stale = { details: { version: ['is stale: the current version is 2'] } };
      expect((await merchant.patch(`products/${id}`, { title: 'b' }, { 'if-match': '"1"' })).status).toBe(
        200,
      );
      const late = await merchant.patch(`products/${id}`, { title: 'c' }, { 'if-match': '"1"' });
      expect([late.status, late.body.error]).toMatchObject([409, stale]);
      const early = await merchant.delete(`products/${id}`, { 'if-match': '"1"' });
      expect([early.status, early.body.error]).toMatchObject([409, stale]);
      const gone = await merchant.delete(`products/${id}`, { 'if-match': '"2"' });
      expect([gone.status, gone.body.data]).toEqual([200, { id, deleted: true }]);
      expect((await merchant.get(`products/${id}`)).status).toBe(404);
      expect((await merchant.delete(`products/${id}`)).status).toBe(404);
    });
  });

  it('products are created once under an Idempotency-Key', async () => {
    const key = randomUUID();
    const body = feedItem(randomUUID());
    const [first, again] = [
      await post(body, { 'idempotency-key': key }),
      await post(body, { 'idempotency-key': key }),
    ];
    expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([
      201,
      'true',
      first.body.data,
    ]);
    expect((await post({ ...body, title: 'Other' }, { 'idempotency-key': key })).status).toBe(409);
  });

  describe('in lists', () => {
    let lister: Merchant;
    let shops: readonly SiteResource[];

    beforeAll(async () => {
      lister = await Merchant.join(product);
      shops = [await openShop(lister), await openShop(lister)];
      for (const [index, { id }] of shops.entries()) {
        const products = Array.from({ length: 7 }, (_, n) =>
          feedItem(`p${n}`, { availability: n % 3 === index ? 'preorder' : 'out_of_stock' }),
        );
        resourceOf(await lister.put('products/batch', { site_id: id, products }));
        resourceOf(await lister.post('products', { site_id: id, ...feedItem(`last-${index}`) }));
      }
    });

    it('come newest first, page by page, each once: of every site or of one', async () => {
      const all = await everyPage(lister, 'products?limit=3');
      expect(all).toHaveLength(16);
      expect(new Set(all.map(({ id }) => id)).size).toBe(16);
      const order = all.map(({ created_at, id }) => `${created_at} ${id}`);
      expect(order).toEqual(order.toSorted().toReversed());
      expect(all[0]?.product_id).toBe('last-1');
      for (const { id } of shops) {
        const ofOne = await everyPage(lister, `products?limit=3&site_id=${id}`);
        expect(ofOne).toEqual(all.filter(({ site_id }) => site_id === id));
      }
    });

    it('listed products are filtered by availability and product_id, separately and together', async () => {
      const all = await everyPage(lister, 'products?limit=200');
      const [first] = shops;
      const expectOnly = async (query: string, keep: (one: ProductResource) => boolean): Promise<void> => {
        const found = await everyPage(lister, `products?limit=2&${query}`);
        expect(found).toEqual(all.filter(keep));
        expect(found.length).toBeGreaterThan(0);
      };
      await expectOnly('availability=preorder', ({ availability }) => availability === 'preorder');
      await expectOnly('product_id=p3', ({ product_id }) => product_id === 'p3');
      await expectOnly(
        `availability=out_of_stock&site_id=${first?.id}`,
        ({ availability, site_id }) => availability === 'out_of_stock' && site_id === first?.id,
      );
      const nothing = await lister.get<Listed<ProductResource>>('products?availability=discontinued');
      expect(nothing.body.data).toEqual({ items: [], next_cursor: null });
    });

    it.each([
      ['site_id=shop', { site_id: ['must be a UUID; got 4 characters'] }],
      [
        'availability=sold',
        {
          availability: ['must be one of in_stock, out_of_stock, preorder, discontinued; got 4 characters'],
        },
      ],
      [
        'product_id=',
        { product_id: ['must be a non-empty string of at most 128 characters; got an empty string'] },
      ],
      ['product_id=a&product_id=b', { product_id: ['must be given once'] }],
      ['limit=201', { limit: ['must be a whole number from 1 to 200; got 3 characters'] }],
      ['cursor=x', { cursor: ['must be the next_cursor of a page'] }],
    ])('refuse ?%s', async (query, details) => {
      const answer = await lister.get(`products?${query}`);
      expect([answer.status, answer.body.error?.details]).toEqual([400, details]);
    });

    it("lists of products are 404 for another workspace's site, and hold nothing of it", async () => {
      expect((await outsider.get(`products?site_id=${shops[0]?.id}`)).status).toBe(404);
      expect((await lister.get(`products?site_id=${randomUUID()}`)).status).toBe(404);
      const own = await outsider.get<Listed<ProductResource>>('products');
      expect(own.body.data).toEqual({ items: [], next_cursor: null });
    });
  });

  it('products are 404 in another workspace, and wherever the id is none', async () => {
    const { id } = await create();
    const answers = [
      await outsider.get(`products/${id}`),
      await outsider.patch(`products/${id}`, { title: 'Mine' }),
      await outsider.delete(`products/${id}`),
      await outsider.post('products', { site_id: site.id, ...feedItem('theirs') }),
      await merchant.get(`products/${randomUUID()}`),
      await merchant.get('products/SKU-1'),
      await merchant.delete('products/SKU-1'),
    ];
    for (const answer of answers) {
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await merchant.get(`products/${id.toUpperCase()}`)).status).toBe(200);
  });

  it('products are read by analysts, who change nothing', async () => {
    const analyst = await merchant.invite('analyst');
    const { id } = await create();
    expect((await analyst.get(`products/${id}`)).status).toBe(200);
    expect((await analyst.get('products')).status).toBe(200);
    const answers = [
      await analyst.post('products', { site_id: site.id, ...feedItem('x') }),
      await analyst.put('products/batch', { site_id: site.id, products: [feedItem('x')] }),
      await analyst.patch(`products/${id}`, { title: 'x' }),
      await analyst.delete(`products/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });
});
