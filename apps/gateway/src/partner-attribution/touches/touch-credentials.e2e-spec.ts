import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, request } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';
import { ORIGIN, Page, type Recorded, storedTouches, touch } from '../../testing/touch-page.js';

describe('interface page, sections 2 and 5: who may record touches', () => {
  let product: Product;
  let page: Page;

  beforeAll(async () => {
    product = await sharedProduct();
    page = await Page.open(product);
  });

  afterAll(() => product.stop());

  const url = (): string => `${product.baseUrl}/partner-attribution/touches`;

  it('an API key, whatever its scopes, an ID token and nothing are 401', async () => {
    const { key } = await product.createApiKey(page.site);
    const idToken = ['{"alg":"RS256"}', '{"sub":"user"}', 'signature'].map((part) => btoa(part)).join('.');
    for (const headers of [
      { 'x-api-key': key },
      { authorization: `Bearer ${idToken.replaceAll('=', '')}` },
      {},
    ]) {
      const answer = await request(url(), {
        json: { touches: [touch()] },
        headers: { origin: ORIGIN, ...headers },
      });
      expect(answer.status).toBe(401);
      expect(answer.body.error?.code).toBe('UNAUTHORIZED');
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
      expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
    }
  });

  it('a runtime token from another origin than its own is 401', async () => {
    for (const headers of [{}, { origin: 'https://other.example' }]) {
      const authorization = `Bearer ${page.token}`;
      const answer = await request(url(), {
        json: { touches: [touch()] },
        headers: { authorization, ...headers },
      });
      expect(answer.status).toBe(401);
    }
  });

  const beacon = (body: object, headers: Record<string, string>): Promise<Answer<Recorded>> =>
    request(url(), {
      body: JSON.stringify(body),
      headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
    });

  it('a beacon brings its runtime token in the body, as text or JSON, with its Origin', async () => {
    for (const type of ['text/plain;charset=UTF-8', 'application/json']) {
      const sent = touch();
      const answer = await beacon(
        { runtime_token: page.token, touches: [sent] },
        { origin: ORIGIN, 'content-type': type },
      );
      expect(answer.status).toBe(201);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect((await storedTouches(product, [sent])).length).toBe(1);
    }
  });

  it('a credential in the body is 401 without an Origin, beside another one, and when it is a key', async () => {
    const { key } = await product.createApiKey(page.site);
    const touches = [touch()];
    const answers = await Promise.all([
      beacon({ runtime_token: page.token, touches }, {}),
      beacon({ runtime_token: page.token, touches }, { origin: 'https://other.example' }),
      beacon({ api_key: key, touches }, { origin: ORIGIN }),
      beacon({ api_key: key, runtime_token: page.token, touches }, { origin: ORIGIN }),
      beacon({ runtime_token: 7, touches }, { origin: ORIGIN }),
      beacon({ touches }, { origin: ORIGIN }),
      request(url(), {
        json: { runtime_token: page.token, touches },
        headers: { origin: ORIGIN, authorization: `Bearer ${page.token}` },
      }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(401));
    expect(await storedTouches(product, touches)).toEqual([]);
  });
});
