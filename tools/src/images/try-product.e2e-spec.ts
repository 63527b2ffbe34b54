import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManagedProcess, NODE_BINARY, programEnvironment, REPOSITORY_ROOT } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';

const PROGRAM = join(REPOSITORY_ROOT, 'docker', 'build', 'try-product.mjs');

describe('the program of `helm test`', () => {
  let product: Product;
  let site: { readonly siteId: string; readonly apiKey: string };

  beforeAll(async () => {
    product = await sharedProduct();
    const created = await product.createSite();
    site = { siteId: created.id, apiKey: (await product.createApiKey(created)).key };
  });

  afterAll(() => product.stop());

  async function run(env: Readonly<Record<string, string>>): Promise<{ code: number | null; said: string }> {
    const running = await ManagedProcess.start({
      name: 'try-product',
      command: NODE_BINARY,
      args: [PROGRAM],
      env: { ...programEnvironment(), ...env },
    });
    const { code } = await running.exited;
    return { code, said: running.output() };
  }

  it('the program ends with 0 where events and orders are answered as the interface page says', async () => {
    const env = { BASE_URL: product.baseUrl, SITE_ID: site.siteId, API_KEY: site.apiKey };
    expect(await run(env)).toMatchObject({ code: 0, said: expect.stringContaining('as it must be') });
  });

  it.each([
    ['a wrong key', (): object => ({ API_KEY: 'tt_wrong' })],
    ['an address where nobody answers', (): object => ({ BASE_URL: 'http://127.0.0.1:9/api/v1' })],
    ['no site', (): object => ({ SITE_ID: '' })],
  ])('the program ends with 1 and says why with %s', async (_what, changed) => {
    const env = { BASE_URL: product.baseUrl, SITE_ID: site.siteId, API_KEY: site.apiKey, ...changed() };
    const { code, said } = await run(env);
    expect(code).toBe(1);
    expect(said).not.toBe('');
  });
});
