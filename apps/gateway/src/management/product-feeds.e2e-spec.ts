import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobResource } from '@truetally/contracts/jobs';
import type { IntegrationResource, ProductResource, SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { everyPage, openShop, resourceOf } from '../testing/catalogue.js';
import { feedEntry, FeedServer, rssFeed } from '../testing/feed-server.js';
import { Merchant } from '../testing/merchant.js';
import { sendSigned } from '../testing/publisher/pulls-suite.js';

const PATIENCE = { timeoutMs: 240_000 };
const SYNC = { type: 'products.sync' };

let product: Product;
let server: FeedServer;
let merchant: Merchant;

beforeAll(async () => {
  product = await sharedProduct();
  server = await FeedServer.open();
  merchant = await Merchant.join(product);
});

afterAll(async () => {
  server.close();
  await product.stop();
});

/** A site with one feed. */
class FedShop {
  private constructor(
    readonly site: SiteResource,
    readonly integrationId: string,
  ) {}

  static async open(path: string, fields: object = {}): Promise<FedShop> {
    const site = await openShop(merchant);
    const body = { site_id: site.id, provider: 'product_feed', base_url: server.url + path, ...fields };
    const { id } = resourceOf(await merchant.post<IntegrationResource>('integrations', body));
    return new FedShop(site, id);
  }

  async sync(): Promise<JobResource> {
    const asked = { site_id: this.site.id, integration_id: this.integrationId };
    const begun = await sendSigned(product, asked, SYNC);
    expect(begun.status).toBe(202);
    return finished(begun);
  }

  async integration(): Promise<IntegrationResource> {
    return resourceOf(await merchant.get<IntegrationResource>(`integrations/${this.integrationId}`));
  }

  async products(): Promise<Readonly<Record<string, ProductResource>>> {
    const all = await everyPage(merchant, `products?site_id=${this.site.id}`);
    return Object.fromEntries(all.map((one) => [one.product_id, one]));
  }

  async availabilities(): Promise<Readonly<Record<string, string>>> {
    const all = Object.entries(await this.products());
    return Object.fromEntries(all.map(([id, { availability }]) => [id, availability]));
  }
}

function finished(begun: Answer<{ job_id: string }>): Promise<JobResource> {
  const { job_id: jobId } = resourceOf(begun);
  return eventually(
    async () => {
      const { data } = (await merchant.get<JobResource>(`jobs/${jobId}`)).body;
      return data?.finished_at == null ? undefined : data;
    },
    { ...PATIENCE, message: `the job ${jobId} to end` },
  );
}

describe('interface page, section 9: the settings of a product feed', () => {
  it('a feed needs its address, keeps its credentials to itself, and is changed by its own rules', async () => {
    const site = await openShop(merchant);
    const post = (body: object) =>
      merchant.post<IntegrationResource>('integrations', {
        site_id: site.id,
        provider: 'product_feed',
        ...body,
      });
    const missing = await post({});
    expect([missing.status, Object.keys(missing.body.error?.details ?? {})]).toEqual([400, ['base_url']]);
    const foreign = await post({ base_url: server.url, credentials: { username: 'a:b' } });
    expect(Object.keys(foreign.body.error?.details ?? {})).toEqual(['credentials.username']);
    const inside = await post({ base_url: 'http://10.0.0.1/feed.xml' });
    expect([inside.status, Object.keys(inside.body.error?.details ?? {})]).toEqual([400, ['base_url']]);
    const made = resourceOf(
      await post({
        base_url: `${server.url}/x?lang=de`,
        credentials: { username: 'shop', password: 'S3cret' },
      }),
    );
    expect(made).toMatchObject({
      provider: 'product_feed',
      base_url: `${server.url}/x?lang=de`,
      status: 'pending',
    });
    expect(JSON.stringify(made)).not.toContain('S3cret');
    const patch = (body: object) => merchant.patch(`integrations/${made.id}`, body);
    expect((await patch({ base_url: null })).status).toBe(400);
    const network = await patch({ credentials: { publisher_id: '1', api_token: 't' } });
    expect([network.status, Object.keys(network.body.error?.details ?? {})]).toEqual([400, ['credentials']]);
    expect((await patch({ credentials: { username: 'other' } })).status).toBe(200);
  });
});

describe('interface page, section 11: products.sync', () => {
  it('rows become products as a batch would store them, and bad rows are errors without values', async () => {
    const rows = [
      feedEntry('1', { link: 'https://shop.example/1', availability: 'out of stock', brand: 'Brand' }),
      feedEntry('2', { price: 'S3cret' }),
      feedEntry('3', { title: '' }),
      feedEntry('1', { title: 'Again' }),
      feedEntry('4'),
    ];
    server.answer('/rows', gzipSync(rssFeed(rows)));
    const shop = await FedShop.open('/rows');
    const job = await shop.sync();
    expect(job).toMatchObject({ type: 'products.sync', state: 'completed', started_by: 'worker' });
    expect(job).toMatchObject({ total: 5, done: 5, stored: 2, failed: 3, cancellable: false });
    expect(job.errors).toEqual([
      { row: 2, field: 'price', message: 'must be an amount and a currency, such as 15.00 EUR' },
      { row: 3, field: 'title', message: expect.stringContaining('must be') },
      { row: 4, field: 'product_id', message: 'is the product_id of row 1 too' },
    ]);
    const products = await shop.products();
    expect(Object.keys(products).toSorted()).toEqual(['1', '4']);
    expect(products['1']).toMatchObject({
      title: 'Product 1',
      url: 'https://shop.example/1',
      price: '12.50',
      currency: 'EUR',
      availability: 'out_of_stock',
      attributes: { brand: 'Brand' },
    });
    expect(await shop.integration()).toMatchObject({
      status: 'connected',
      last_error: null,
      last_sync_at: expect.any(String),
    });
  });

  it('products that a feed names no longer are discontinued, but not those of a bad row or of another feed', async () => {
    server.answer(
      '/gone',
      'id\ttitle\tprice\n1\tOne\t1 EUR\n2\tTwo\t2 EUR\n3\tThree\t3 EUR\n4\tFour\t4 EUR\n',
    );
    server.answer('/other', 'id,title\n4,Four\n');
    const shop = await FedShop.open('/gone');
    await shop.sync();
    const body = { site_id: shop.site.id, provider: 'product_feed', base_url: `${server.url}/other` };
    const { id } = resourceOf(await merchant.post<IntegrationResource>('integrations', body));
    const asked = { site_id: shop.site.id, integration_id: id };
    expect(await finished(await sendSigned(product, asked, SYNC))).toMatchObject({ stored: 1 });
    server.answer('/gone', 'id\ttitle\tprice\n1\tOne\t1 EUR\n3\tThree\tmuch\n');
    expect(await shop.sync()).toMatchObject({ state: 'completed', stored: 1, failed: 1 });
    const still = 'in_stock';
    expect(await shop.availabilities()).toEqual({ '1': still, '2': 'discontinued', '3': still, '4': still });
    server.answer('/gone', 'id\ttitle\n1\tOne\n2\tTwo\n3\tThree\n');
    await shop.sync();
    expect(await shop.availabilities()).toMatchObject({ '2': still });
  });

  it('a feed that breaks off or has a document type fails the job, and discontinues nothing', async () => {
    server.answer('/broken', rssFeed([feedEntry('1'), feedEntry('2')]));
    const shop = await FedShop.open('/broken');
    await shop.sync();
    const whole = rssFeed([feedEntry('1', { title: 'Changed' })]);
    server.answer('/broken', whole.slice(0, -20));
    const half = await shop.sync();
    expect(half).toMatchObject({ state: 'failed', errors: [{ row: null, field: null }] });
    expect(half.errors[0]?.message).toContain('not well-formed');
    expect(await shop.integration()).toMatchObject({
      status: 'failing',
      last_error: half.errors[0]?.message,
    });
    server.answer('/broken', (_, response) => {
      response.writeHead(200, { 'content-length': String(whole.length + 1_000) });
      response.write(whole, () => response.destroy());
    });
    const early = await shop.sync();
    expect([early.state, early.errors.at(-1)?.message]).toEqual([
      'failed',
      "The feed's server could not be reached, or closed the connection early.",
    ]);
    server.answer('/broken', rssFeed([], '<!DOCTYPE rss [<!ENTITY x "xxxxxxxxxx">]>'));
    const typed = await shop.sync();
    expect([typed.state, typed.errors[0]?.message]).toEqual([
      'failed',
      'The feed has a document type declaration, which is not read.',
    ]);
    expect(await shop.availabilities()).toEqual({ '1': 'in_stock', '2': 'in_stock' });
  });

  it('an unchanged feed is not read again, until its address or its content changes', async () => {
    let etag = '"one"';
    let items = [feedEntry('1')];
    server.answer('/same', (request, response) => {
      if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
      return response
        .writeHead(200, { etag, 'last-modified': 'Mon, 23 Nov 2026 10:00:00 GMT' })
        .end(rssFeed(items));
    });
    const shop = await FedShop.open('/same', { credentials: { username: 'shop', password: 'p:word' } });
    expect(await shop.sync()).toMatchObject({ state: 'completed', stored: 1 });
    const before = await shop.integration();
    expect(await shop.sync()).toMatchObject({ state: 'completed', total: 0, stored: 0 });
    const { headers } = server.asked.findLast(({ url }) => url === '/same') ?? {};
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from('shop:p:word').toString('base64')}`,
      'if-none-match': '"one"',
      'if-modified-since': 'Mon, 23 Nov 2026 10:00:00 GMT',
    });
    expect(await shop.availabilities()).toEqual({ '1': 'in_stock' });
    expect((await shop.integration()).last_sync_at).not.toBe(before.last_sync_at);
    [etag, items] = ['"two"', [feedEntry('2')]];
    expect(await shop.sync()).toMatchObject({ stored: 1 });
    expect(await shop.availabilities()).toEqual({ '1': 'discontinued', '2': 'in_stock' });
    await merchant.patch(`integrations/${shop.integrationId}`, { credentials: { username: 'new' } });
    expect(await shop.sync()).toMatchObject({ stored: 1 });
    expect(server.asked.findLast(({ url }) => url === '/same')?.headers['if-none-match']).toBeUndefined();
  });

  it.each<[number, Readonly<Record<string, string>>, string]>([
    [302, { location: '/rows' }, "The feed's server answered 302; redirects are not followed."],
    [401, {}, "The feed's server refused the credentials (401)."],
    [404, {}, "The feed's server answered 404."],
    [503, {}, "The feed's server answered 503."],
  ])('an answer of %i fails the job', async (status, headers, message) => {
    server.answer(`/status-${status}`, (_, response) => response.writeHead(status, headers).end());
    const shop = await FedShop.open(`/status-${status}`);
    const job = await shop.sync();
    expect(job).toMatchObject({ state: 'failed', errors: [{ row: null, field: null, message }] });
    expect(await shop.integration()).toMatchObject({ status: 'failing', last_error: message });
    expect(server.countOf(`/status-${status}`)).toBe(status === 503 ? 3 : 1);
  });

  it('a feed of thousands is read in parts, counted exactly, and stored again without a trace', async () => {
    const all = Array.from({ length: 5_500 }, (_, n) =>
      feedEntry(`many-${n}`, n % 500 === 7 ? { price: 'x' } : {}),
    );
    server.answer('/many', gzipSync(rssFeed(all)));
    const shop = await FedShop.open('/many');
    for (let round = 0; round < 2; round += 1) {
      const job = await shop.sync();
      expect(job).toMatchObject({ state: 'completed', total: 5_500, done: 5_500, stored: 5_489, failed: 11 });
      expect(job.errors.map(({ row }) => row)).toEqual(Array.from({ length: 11 }, (_, n) => n * 500 + 8));
    }
    const one = await merchant.get<{ items: ProductResource[] }>(
      `products?site_id=${shop.site.id}&product_id=many-5499`,
    );
    expect(one.body.data?.items[0]).toMatchObject({ version: 1, availability: 'in_stock' });
  });

  it('a worker’s message names a feed of its site, or none for every feed, which a broken one does not keep unread', async () => {
    server.answer('/a', 'id,title\na,A\n');
    server.answer('/b', 'id,title\nb,B\n');
    const shop = await FedShop.open('/a');
    const second = { site_id: shop.site.id, provider: 'product_feed', base_url: `${server.url}/b` };
    const { id } = resourceOf(await merchant.post<IntegrationResource>('integrations', second));
    expect((await sendSigned(product, { site_id: shop.site.id, integration_id: id })).status).toBe(404);
    const all = await finished(await sendSigned(product, { site_id: shop.site.id }, SYNC));
    expect(all).toMatchObject({ state: 'completed', total: 2, stored: 2 });
    expect(Object.keys(await shop.products()).toSorted()).toEqual(['a', 'b']);
    const first = [shop.integrationId, id].toSorted()[0] === shop.integrationId ? 'a' : 'b';
    const other = first === 'a' ? 'b' : 'a';
    server.answer(`/${first}`, (_, response) => response.writeHead(404).end());
    server.answer(`/${other}`, `id,title\n${other}-2,New\n`);
    const half = await finished(await sendSigned(product, { site_id: shop.site.id }, SYNC));
    expect(half).toMatchObject({ state: 'failed', stored: 1, errors: [{ row: null }] });
    expect(Object.keys(await shop.products())).toContain(`${other}-2`);
    const none = await openShop(merchant);
    expect((await sendSigned(product, { site_id: none.id }, SYNC)).status).toBe(404);
  });
});
