import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request, uniqueName } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';

const ORIGIN = 'https://shop.example';
const UNAUTHORIZED = [401, 'UNAUTHORIZED'];
const OWNER = uniqueName('e2e|owner');

type Headers = Record<string, string>;

describe('interface page, section 2: the ID tokens of members', () => {
  let product: Product;
  let site: SiteResource;
  let token: string;

  beforeAll(async () => {
    product = await sharedProduct();
    const { id } = await product.asks.createWorkspace({ name: 'Shop', owner_sub: OWNER });
    site = await product.asks.createSite({
      workspace_id: id,
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: [ORIGIN],
    });
    token = await product.idToken({ sub: OWNER });
    await eventually(async () => (await readTouches(bearer(token))).status === 200);
  });

  afterAll(() => product.stop());

  const bearer = (text: string): Headers => ({ authorization: `Bearer ${text}` });
  const readTouches = (headers: Headers): Promise<Answer<unknown>> =>
    request(`${product.baseUrl}/partner-attribution/touches?website_id=${site.id}`, { headers });
  const outcome = ({ status, body }: Answer<unknown>) =>
    body.error === undefined ? [status] : [status, body.error?.code];

  it.each<[string, Omit<Parameters<Product['idToken']>[0], 'sub'>]>([
    ['without a signature', { alg: 'none' }],
    ['keyed with the public key', { alg: 'HS256' }],
    ['of another issuer', { iss: 'https://login.example' }],
    ['for another audience', { aud: 'another' }],
    ['that has expired', { expiresInSeconds: -61 }],
    ['that has not begun', { notBeforeSeconds: 90 }],
    ['without a user', { without: ['sub'] }],
    ['without an end', { without: ['exp'] }],
    ['of a key that the issuer does not have', { kid: 'unknown' }],
  ])('401 for an ID token %s', async (_name, wrong) => {
    const refused = await readTouches(bearer(await product.idToken({ sub: OWNER, ...wrong })));
    expect(outcome(refused)).toEqual(UNAUTHORIZED);
    expect(refused.headers.get('www-authenticate')).toContain('invalid_token');
    expect(refused.headers.get('x-ratelimit-limit')).toBeNull();
  });

  it.each(['RS256', 'ES256', 'EdDSA'] as const)('200 for an ID token signed with %s', async (alg) => {
    expect(outcome(await readTouches(bearer(await product.idToken({ sub: OWNER, alg }))))).toEqual([200]);
  });

  it('allows 60 s for clocks that differ', async () => {
    const late = await product.idToken({ sub: OWNER, expiresInSeconds: -30 });
    expect(outcome(await readTouches(bearer(late)))).toEqual([200]);
    const early = await product.idToken({ sub: OWNER, notBeforeSeconds: 30 });
    expect(outcome(await readTouches(bearer(early)))).toEqual([200]);
  });

  it('401 for garbage, a token cut short, a runtime token, and two credentials', async () => {
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: site.id },
      headers: { origin: ORIGIN },
    });
    for (const text of ['garbage', token.slice(0, -3), `${token}.x`, String(issued.body.data?.token)]) {
      expect(outcome(await readTouches({ ...bearer(text), origin: ORIGIN }))).toEqual(UNAUTHORIZED);
    }
    const { key } = await product.createApiKey(site);
    expect(outcome(await readTouches({ ...bearer(token), 'x-api-key': key }))).toEqual(UNAUTHORIZED);
    const { status } = await request(`${product.baseUrl}/partner-attribution/commission-rules`, {
      json: { website_id: site.id, api_key: key },
      headers: bearer(token),
    });
    expect(status).toBe(401);
  });

  it.each(['events/track', 'partner-attribution/conversions', 'partner-attribution/touches'])(
    '401 for an ID token on %s',
    async (path) => {
      const headers = { ...bearer(token), origin: ORIGIN };
      const refused = await request(`${product.baseUrl}/${path}`, { json: {}, headers });
      expect(outcome(refused)).toEqual(UNAUTHORIZED);
    },
  );
});
