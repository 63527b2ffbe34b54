import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';

describe('interface page, section 11: the page of the API document', () => {
  let product: Product;
  let address: string;
  let html: string;
  let files: readonly string[];

  beforeAll(async () => {
    product = await sharedProduct();
    address = new URL('/api/docs', product.baseUrl).href;
    html = await (await fetch(address)).text();
    files = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, name]) => String(name));
  });

  afterAll(() => product.stop());

  it('the page is HTML without the envelope, asked for anew each time, with a policy of this host alone', async () => {
    const { status, headers } = await fetch(address);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('no-cache');
    const policy = String(headers.get('content-security-policy'));
    expect(policy.split(';')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(html).not.toMatch(/<script>|<style|\sstyle=|https?:\/\//);
    const tag = { 'if-none-match': String(headers.get('etag')) };
    expect((await fetch(address, { headers: tag })).status).toBe(304);
  });

  it.each([
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['identity', null],
  ])(
    'its files are named by their hash and kept for ever; a browser that accepts %s gets %s',
    async (accepted, encoding) => {
      expect(files.map((name) => name.replace(/\.[0-9a-f]{16}\./, '.'))).toEqual([
        'docs/swagger-ui.css',
        'docs/swagger-ui-bundle.js',
        'docs/start.js',
      ]);
      for (const name of files) {
        const init = { headers: { 'accept-encoding': accepted } };
        const answer = await fetch(new URL(name, address), init);
        expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, encoding]);
        expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(answer.headers.get('vary')).toBe('Accept-Encoding');
        const head = await fetch(new URL(name, address), { ...init, method: 'HEAD' });
        expect(head.headers.get('content-length')).toBe(answer.headers.get('content-length'));
        expect([await head.text(), (await answer.text()).length > 100]).toEqual(['', true]);
      }
    },
  );

  it.each(['index.html', 'manifest.json', 'start.0000000000000000.js', '..%2fmain.js', '%2e%2e'])(
    'there is no file %s',
    async (name) => {
      const answer = await request(`${address}/${name}`);
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    },
  );
});
