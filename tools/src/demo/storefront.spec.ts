import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@truetally/testing';
import { serveStorefront, type Storefront } from './storefront.js';

const SITE = { siteId: 'site-1', recommended: { campaignId: 'campaign-1', productId: 'SKU-1' } };

describe('the storefront of npm start', () => {
  const stopped = Promise.withResolvers<undefined>();
  let storefront: Storefront;

  beforeAll(async () => {
    const baseUrl = 'http://127.0.0.1:4180/api/v1';
    storefront = await serveStorefront(await freePort(), baseUrl, SITE, stopped.promise);
  });

  afterAll(() => stopped.resolve(undefined));

  it.each(['/', '/products/cup?awc=1'])(
    'the page %s loads the SDK under a policy without anything inline',
    async (path) => {
      const page = await fetch(storefront.origin + path);
      const policy = page.headers.get('content-security-policy');
      expect(policy).toContain("script-src 'self' http://127.0.0.1:4180; connect-src http://127.0.0.1:4180;");
      expect(policy).not.toContain('unsafe');
      const html = await page.text();
      expect(html).toContain('<script src="http://127.0.0.1:4180/sdk/v1/truetally.js" data-site-id="site-1"');
      expect(html).toContain('data-svc-recommendations="campaign-1" data-svc-product-id="SKU-1"');
      expect(html).not.toMatch(/<style|<script>|style=|onclick/);
    },
  );

  it('each page has a landing link with another click', async () => {
    const link = async (): Promise<string | undefined> =>
      /href="(\/products\/cup\?awc=1001_\d+_[0-9a-f]{16})"/.exec(
        await (await fetch(storefront.origin)).text(),
      )?.[1];
    const [one, other] = [await link(), await link()];
    expect(one).toBeDefined();
    expect(other).not.toBe(one);
  });

  it.each([
    ['/shop.js', 200, 'text/javascript; charset=utf-8'],
    ['/shop.css', 200, 'text/css; charset=utf-8'],
    ['/elsewhere', 404, 'text/plain'],
  ])('the address %s is answered %d', async (path, status, type) => {
    const answer = await fetch(storefront.origin + path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
  });
});
