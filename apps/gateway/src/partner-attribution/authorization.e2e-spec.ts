import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Scope } from '@truetally/contracts/credentials';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request, untilHourLasts } from '@truetally/testing';
import { sharedProduct, type Product } from '@truetally/testing-product';

const ORIGIN = 'https://shop.example';
const CONVERT: Scope = 'partner_attribution:convert';
const READ: Scope = 'partner_attribution:read';

type Headers = Record<string, string>;

/** The gateway refuses all of this by itself, without asking the ledger. */
describe('interface page, sections 2 and 6: who may write and read conversions', () => {
  let product: Product;
  let site: SiteResource;
  let otherSite: SiteResource;
  let convertKey: string;
  let readKey: string;
  let token: string;

  const keyOf = async (owner: SiteResource, ...scopes: Scope[]): Promise<string> =>
    (await product.createApiKey(owner, { scopes })).key;

  beforeAll(async () => {
    product = await sharedProduct();
    site = await product.createSite({ allowed_origins: [ORIGIN] });
    otherSite = await product.createSite({ allowed_origins: [ORIGIN] });
    convertKey = await keyOf(site, CONVERT);
    readKey = await keyOf(site, READ);
    const issued = await request<{ token: string }>(`${product.baseUrl}/runtime/tokens`, {
      json: { site_id: site.id },
      headers: { origin: ORIGIN },
    });
    token = String(issued.body.data?.token);
  });

  afterAll(() => product.stop());

  /** An invalid cancellation: callers with permission to write get 400. */
  const broken = (changes: object = {}) => ({
    event_type: 'cancellation',
    cancellation: {
      schema_version: 1,
      idempotency_key: randomUUID(),
      website_id: site.id,
      order_id: 'order-1',
      occurred_at: '2026-01-31T09:30:00Z',
      currency: 'EUR',
      reversed_revenue: '1.005',
      ...changes,
    },
  });
  const rule = (changes: object = {}) => ({
    website_id: site.id,
    provider: 'awin',
    type: 'percentage',
    rate: 7,
    effective_from: '2026-01-01T00:00:00Z',
    ...changes,
  });

  const post = (path: string, json: unknown, headers: Headers): Promise<Answer<unknown>> =>
    request(`${product.baseUrl}/partner-attribution/${path}`, { json, headers });
  const get = (path: string, headers: Headers): Promise<Answer<unknown>> =>
    request(`${product.baseUrl}/partner-attribution/${path}`, { headers });

  const convert = (headers: Headers, json: unknown = broken()) => post('conversions', json, headers);
  const routes = {
    conversions: (headers: Headers) => convert(headers),
    'commission rules': (headers: Headers) => post('commission-rules', rule(), headers),
    'one order': (headers: Headers) => get(`orders/order-1?website_id=${otherSite.id}`, headers),
    'the list of rules': (headers: Headers) => get(`commission-rules?website_id=${otherSite.id}`, headers),
  };

  function expectRefused(answer: Answer<unknown>, status: number, code: string): void {
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    expect(answer.body.error?.details).toEqual({});
    expect(answer.headers.get('www-authenticate')).toEqual(status === 401 ? expect.any(String) : null);
  }

  describe.each(Object.keys(routes) as (keyof typeof routes)[])('%s', (name) => {
    it('401 without a credential, with an invalid one, and with two', async () => {
      const ask = routes[name];
      expectRefused(await ask({}), 401, 'UNAUTHORIZED');
      expectRefused(await ask({ 'x-api-key': `${convertKey.slice(0, -1)}!` }), 401, 'UNAUTHORIZED');
      const two = { 'x-api-key': convertKey, authorization: `Bearer ${token}`, origin: ORIGIN };
      expectRefused(await ask(two), 401, 'UNAUTHORIZED');
    });

    it('401 for a runtime token, an ID token, and a key sent as a bearer', async () => {
      const ask = routes[name];
      for (const bearer of [token, 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln', convertKey, readKey]) {
        const answer = await ask({ authorization: `Bearer ${bearer}`, origin: ORIGIN });
        expectRefused(answer, 401, 'UNAUTHORIZED');
      }
    });

    it('403 for a key without the scope of the route', async () => {
      const isWrite = name === 'conversions' || name === 'commission rules';
      const wrong = await keyOf(site, 'events:write', isWrite ? READ : CONVERT);
      expectRefused(await routes[name]({ 'x-api-key': wrong }), 403, 'FORBIDDEN');
    });

    it('401 for a revoked key, whatever its scopes', async () => {
      const doomed = await product.createApiKey(site, { scopes: [CONVERT, READ] });
      expect((await routes[name]({ 'x-api-key': doomed.key })).status).not.toBe(401);
      await product.asks.revokeApiKey({
        workspace_id: site.workspace_id,
        site_id: site.id,
        key_id: doomed.id,
      });
      await eventually(async () => (await routes[name]({ 'x-api-key': doomed.key })).status === 401);
      expectRefused(await routes[name]({ 'x-api-key': doomed.key }), 401, 'UNAUTHORIZED');
    });
  });

  it('401 for a key or token in the body, with or without one in the header', async () => {
    for (const credential of [{ api_key: convertKey }, { runtime_token: token }]) {
      const body = { ...broken(), ...credential };
      expectRefused(await convert({ origin: ORIGIN }, body), 401, 'UNAUTHORIZED');
      expectRefused(await convert({ 'x-api-key': convertKey }, body), 401, 'UNAUTHORIZED');
      const ruleBody = { ...rule(), ...credential };
      expectRefused(await post('commission-rules', ruleBody, { origin: ORIGIN }), 401, 'UNAUTHORIZED');
    }
    const beacon = await request(`${product.baseUrl}/partner-attribution/conversions`, {
      body: JSON.stringify({ ...broken(), api_key: convertKey }),
      headers: { origin: ORIGIN, 'content-type': 'text/plain' },
    });
    expectRefused(beacon, 401, 'UNAUTHORIZED');
  });

  it("403 for another site's website_id, whatever else is wrong with the body", async () => {
    const headers = { 'x-api-key': convertKey };
    for (const website_id of [otherSite.id, randomUUID(), 'no site at all']) {
      expectRefused(await convert(headers, broken({ website_id })), 403, 'FORBIDDEN');
      expectRefused(await post('commission-rules', rule({ website_id }), headers), 403, 'FORBIDDEN');
    }
    const otherKey = await keyOf(otherSite, CONVERT);
    expectRefused(await convert({ 'x-api-key': otherKey }), 403, 'FORBIDDEN');
    const two = { ...broken(), conversion: { website_id: otherSite.id } };
    expectRefused(await convert(headers, two), 403, 'FORBIDDEN');
  });

  it("400 for the caller's own site, in either case of letters, when a rule is broken; and for none at all", async () => {
    const headers = { 'x-api-key': convertKey };
    const details = { 'cancellation.reversed_revenue': ['must have at most 2 decimals in EUR; got 3'] };
    for (const website_id of [site.id, site.id.toUpperCase()]) {
      const answer = await convert(headers, broken({ website_id }));
      expect([answer.status, answer.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(answer.body.error?.details).toEqual(details);
    }
    const nameless = await convert(headers, broken({ website_id: null }));
    expect(nameless.status).toBe(400);
    expect(nameless.body.error?.details).toEqual({
      ...details,
      'cancellation.website_id': ['must be a non-empty string of at most 128 characters; got null'],
    });
    const refusedRule = await post('commission-rules', rule(), headers);
    expect(refusedRule.body.error?.details).toEqual({ rate: ['must be at most 1, the whole amount; got 7'] });
  });

  it("reads: 403 for another site's website_id, 400 without one, and for a parameter that is not known", async () => {
    const headers = { 'x-api-key': readKey };
    for (const path of ['orders/order-1', 'commission-rules']) {
      expectRefused(await get(`${path}?website_id=${otherSite.id}`, headers), 403, 'FORBIDDEN');
      const nameless = await get(path, headers);
      expect([nameless.status, nameless.body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(nameless.body.error?.details).toEqual({ website_id: ['is required'] });
      const unknown = await get(`${path}?website_id=${site.id}&expand=all`, headers);
      expect([unknown.status, unknown.body.error?.code]).toEqual([400, 'BAD_REQUEST']);
      expect(Object.keys(unknown.body.error?.details ?? {})).toEqual(['expand']);
    }
  });

  it('404 for an id that no order may have, 400 for a path that is no UTF-8, both in the envelope', async () => {
    const headers = { 'x-api-key': readKey };
    const ask = async (id: string): Promise<string> => {
      const answer = await get(`orders/${id}?website_id=${site.id}`, headers);
      return `${answer.status} ${String(answer.body.error?.code)}`;
    };
    for (const id of ['x'.repeat(129), '%00']) expect(await ask(id)).toBe('404 NOT_FOUND');
    for (const id of ['%ff', '%', 'a%2']) expect(await ask(id)).toBe('400 BAD_REQUEST');
  });

  it('a refusal costs a known caller 1, and reports the remaining limit', async () => {
    await untilHourLasts();
    const headers = { 'x-api-key': await keyOf(site, CONVERT) };
    const left = ({ headers: answered }: Answer<unknown>): number | null => {
      const remaining = answered.get('x-ratelimit-remaining');
      return remaining === null ? null : Number(remaining);
    };
    const first = left(await convert(headers)) ?? 0;
    expect(left(await convert(headers, broken({ website_id: otherSite.id })))).toBe(first - 1);
    expect(left(await convert(headers, { ...broken(), api_key: 'x' }))).toBeNull();
    expect(left(await post('conversions?x=1', broken(), headers))).toBe(first - 2);
  });

  it('a body of 4 MiB is read, a larger one is 413', async () => {
    const headers = { 'x-api-key': convertKey };
    const padded = (bytes: number) => ({ ...broken(), note: 'n'.repeat(bytes) });
    expect((await convert(headers, padded(4 * 1024 * 1024 - 1024))).status).toBe(400);
    expect((await convert(headers, padded(4 * 1024 * 1024))).status).toBe(413);
  });
});
