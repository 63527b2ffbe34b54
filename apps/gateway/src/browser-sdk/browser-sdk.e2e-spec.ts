import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';

interface Manifest {
  readonly files: Readonly<Record<string, { readonly file: string; readonly integrity: string }>>;
}

describe('interface page, section 9: the browser SDK', () => {
  let product: Product;
  let folder: string;
  let manifest: Manifest;

  beforeAll(async () => {
    product = await sharedProduct();
    folder = new URL('/sdk/v1/', product.baseUrl).href;
    manifest = (await (await fetch(`${folder}manifest.json`)).json()) as Manifest;
  });

  afterAll(() => product.stop());

  it('any page loads it under a short name for minutes, and under its hash for ever', async () => {
    for (const [name, { file, integrity }] of Object.entries(manifest.files)) {
      const short = await fetch(folder + name, { headers: { origin: 'https://any.example' } });
      const hashed = await fetch(folder + file);
      const bytes = Buffer.from(await short.arrayBuffer());
      expect(Buffer.from(await hashed.arrayBuffer())).toEqual(bytes);
      expect(`sha256-${createHash('sha256').update(bytes).digest('base64')}`).toBe(integrity);
      expect(short.headers.get('cache-control')).toMatch(/^public, max-age=300,/);
      expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(short.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(short.headers.get('access-control-allow-origin')).toBe('*');
      expect(short.headers.get('access-control-allow-credentials')).toBeNull();
    }
  });

  it.each([
    ['br', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, GZIP', 'gzip'],
    ['identity', null],
  ])('a browser that accepts %s gets %s', async (accepted, encoding) => {
    const answer = await fetch(`${folder}truetally.js`, { headers: { 'accept-encoding': accepted } });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    expect(await answer.text()).toContain('client_event_id');
  });

  it('a browser that has it gets 304, and HEAD tells its length', async () => {
    const head = await fetch(`${folder}truetally.js`, { method: 'HEAD' });
    expect([head.status, Number(head.headers.get('content-length')) > 1000]).toEqual([200, true]);
    const again = await fetch(`${folder}truetally.js`, {
      headers: { 'if-none-match': String(head.headers.get('etag')) },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each(['truetally.0000000000000000.js', '..%2fmanifest.json', '%2e%2e', 'index.mjs'])(
    'there is no file %s',
    async (name) => {
      const answer = await request(folder + name);
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    },
  );
});
