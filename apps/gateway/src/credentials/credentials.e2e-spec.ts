import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/testing';
import { type CreatedApiKey, type Product, sharedProduct } from '@truetally/testing-product';
import { queryProduct } from '../testing/query-product.js';

const ORIGIN = 'https://shop.example';
const OTHER_ORIGIN = 'https://other.example';

describe('interface page, section 2: credentials', () => {
  let product: Product;
  let site: SiteResource;
  let key: CreatedApiKey;

  beforeAll(async () => {
    product = await sharedProduct();
    site = await product.createSite({ allowed_origins: [ORIGIN, 'https://www.shop.example'] });
    key = await product.createApiKey(site);
  });

  afterAll(() => product.stop());

  const event = () => ({
    event_type: 'page_view',
    session_id: 'session-1',
    client_event_id: randomUUID(),
    context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
  });

  function track(
    headers: Record<string, string>,
    body: unknown = event(),
  ): Promise<Answer<{ event_id: string }>> {
    return request(`${product.baseUrl}/events/track`, { json: body, headers });
  }

  function beacon(body: unknown, headers: Record<string, string>): Promise<Answer<unknown>> {
    return request(`${product.baseUrl}/events/batch`, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
    });
  }

  function issue(
    headers: Record<string, string>,
    siteId: unknown = site.id,
  ): Promise<Answer<{ token: string }>> {
    return request(`${product.baseUrl}/runtime/tokens`, { json: { site_id: siteId }, headers });
  }

  async function tokenFor(origin: string): Promise<string> {
    return String((await issue({ origin })).body.data?.token);
  }

  async function trustOf(answer: Answer<{ event_id: string }>): Promise<unknown> {
    expect(answer.status).toBe(201);
    const rows = await queryProduct<{ trust: string }>(
      product,
      'ingestion',
      'select trust from events where event_id = $1',
      [answer.body.data?.event_id],
    );
    return rows[0]?.trust;
  }

  function expectUnauthorized(answer: Answer<unknown>): void {
    expect(answer.status).toBe(401);
    expect(answer.body.error?.code).toBe('UNAUTHORIZED');
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
  }

  it('POST /runtime/tokens with an Origin that the site lists → 201 with all that a page needs', async () => {
    const before = Date.now();
    const answer = await issue({ origin: ORIGIN });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 900,
      expires_at: expect.any(String),
      site_id: site.id,
    });
    const { expires_at } = answer.body.data as unknown as { expires_at: string };
    // Of whole seconds, from a moment between the request and its answer.
    expect(Date.parse(expires_at)).toBeGreaterThan(before + 899_000);
    expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.now() + 900_000);
  });

  it('a page asks for a token also by text, as a browser sends it without a preflight', async () => {
    const answer = await request(`${product.baseUrl}/runtime/tokens`, {
      body: JSON.stringify({ site_id: site.id }),
      headers: { origin: ORIGIN, 'content-type': 'text/plain;charset=UTF-8' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, ORIGIN]);
  });

  it('no Origin, an unknown site, or an origin that the site does not list → 401', async () => {
    expectUnauthorized(await issue({}));
    expectUnauthorized(await issue({ origin: ORIGIN }, randomUUID()));
    expectUnauthorized(await issue({ origin: OTHER_ORIGIN }));
    expectUnauthorized(await issue({ origin: 'null' }));
  });

  it('a site id that is no UUID → 400 with its path', async () => {
    for (const siteId of [undefined, null, 7, 'shop', ['x']]) {
      const answer = await request(`${product.baseUrl}/runtime/tokens`, {
        body: JSON.stringify({ site_id: siteId }),
        headers: { origin: ORIGIN, 'content-type': 'application/json' },
      });
      expect(answer.status).toBe(400);
      expect(Object.keys(answer.body.error?.details ?? {})).toEqual(['site_id']);
    }
  });

  it("every use of a token checks that the request's Origin equals the token's", async () => {
    const authorization = `Bearer ${await tokenFor(ORIGIN)}`;
    expect((await track({ authorization, origin: ORIGIN })).status).toBe(201);
    expectUnauthorized(await track({ authorization }));
    expectUnauthorized(await track({ authorization, origin: OTHER_ORIGIN }));
    expectUnauthorized(await track({ authorization, origin: 'https://www.shop.example' }));
  });

  it('401 for a missing or invalid credential, or two of them', async () => {
    expectUnauthorized(await track({}));
    expectUnauthorized(await track({ 'x-api-key': `${key.key.slice(0, -1)}!` }));
    expectUnauthorized(await track({ authorization: 'Basic dXNlcjpwYXNz' }));
    expectUnauthorized(await track({ authorization: `Bearer ${key.key}` }));
    const authorization = `Bearer ${await tokenFor(ORIGIN)}`;
    expectUnauthorized(await track({ authorization, origin: ORIGIN, 'x-api-key': key.key }));
  });

  it("a key without the route's scope → 401 on event routes", async () => {
    const other = await product.createApiKey(site, { scopes: ['analytics:read'] });
    expectUnauthorized(await track({ 'x-api-key': other.key }));
  });

  it('an expired key → 401', async () => {
    const expires_at = new Date(Date.now() + 1_500).toISOString();
    const brief = await product.createApiKey(site, { expires_at });
    await eventually(async () => (await track({ 'x-api-key': brief.key })).status === 401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));
  });

  it('a revoked key stops working', async () => {
    const doomed = await product.createApiKey(site);
    expect((await track({ 'x-api-key': doomed.key })).status).toBe(201);
    await product.asks.revokeApiKey({ workspace_id: site.workspace_id, site_id: site.id, key_id: doomed.id });
    await eventually(async () => (await track({ 'x-api-key': doomed.key })).status === 401);
  });

  it("a suspended workspace's keys, tokens and sites are refused, and live again afterwards", async () => {
    const other = await product.createSite({ allowed_origins: [ORIGIN] });
    const otherKey = await product.createApiKey(other);
    const authorization = `Bearer ${String((await issue({ origin: ORIGIN }, other.id)).body.data?.token)}`;
    const statuses = async (): Promise<string> => {
      const byKey = await track({ 'x-api-key': otherKey.key });
      const byToken = await track({ authorization, origin: ORIGIN });
      return [byKey.status, byToken.status, (await issue({ origin: ORIGIN }, other.id)).status].join();
    };
    const suspend = (suspended: boolean) =>
      product.asks.administerWorkspace({ workspace_id: other.workspace_id, suspended });
    expect(await statuses()).toBe('201,201,201');
    await suspend(true);
    await eventually(async () => (await statuses()) === '401,401,401');
    await suspend(false);
    await eventually(async () => (await statuses()) === '201,201,201');
  });

  it('body-carried credentials: a beacon of text/plain or application/json with an Origin header', async () => {
    for (const type of ['text/plain;charset=UTF-8', 'application/json']) {
      const headers = { origin: ORIGIN, 'content-type': type };
      expect((await beacon({ api_key: key.key, events: [event()] }, headers)).status).toBe(201);
      const runtime_token = await tokenFor(ORIGIN);
      expect((await beacon({ runtime_token, events: [event()] }, headers)).status).toBe(201);
    }
  });

  it('body-carried credentials are 401 without an Origin, from another origin, and where there are two', async () => {
    const runtime_token = await tokenFor(ORIGIN);
    const events = [event()];
    expectUnauthorized(await beacon({ api_key: key.key, events }, {}));
    expectUnauthorized(await beacon({ api_key: key.key, events }, { origin: OTHER_ORIGIN }));
    expectUnauthorized(await beacon({ runtime_token, events }, { origin: OTHER_ORIGIN }));
    expectUnauthorized(await beacon({ events }, { origin: ORIGIN }));
    expectUnauthorized(await beacon({ api_key: key.key, runtime_token, events }, { origin: ORIGIN }));
    const json = { origin: ORIGIN, 'content-type': 'application/json', 'x-api-key': key.key };
    expectUnauthorized(await beacon({ api_key: key.key, events }, json));
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)(
    'what an unknown caller sends with %s is cut off at its small limit, whatever it inflates to',
    async (encoding, compress) => {
      const send = (path: string, body: object, type = 'text/plain'): Promise<Answer<unknown>> =>
        request(`${product.baseUrl}/${path}`, {
          body: new Uint8Array(compress(JSON.stringify(body))),
          method: 'POST',
          headers: { 'content-type': type, 'content-encoding': encoding, origin: ORIGIN },
        });
      const beaconOf = (bytes: number): object => {
        const rest = JSON.stringify({ api_key: key.key, events: [event()], padding: '' }).length;
        return { api_key: key.key, events: [event()], padding: 'x'.repeat(bytes - rest) };
      };
      for (const type of ['text/plain', 'application/json']) {
        expect((await send('events/batch', beaconOf(64 * 1024 - 100), type)).status).toBe(201);
        expect((await send('events/batch', beaconOf(64 * 1024 + 100), type)).status).toBe(413);
        expect((await send('events/batch', beaconOf(1024 * 1024), type)).status).toBe(413);
      }
      const tokenRequest = (bytes: number): object => ({ site_id: site.id, padding: 'x'.repeat(bytes) });
      const json = 'application/json';
      expect((await send('runtime/tokens', tokenRequest(3_900), json)).status).toBe(201);
      expect((await send('runtime/tokens', tokenRequest(4_096), json)).status).toBe(413);
      expect((await send('runtime/tokens', tokenRequest(1024 * 1024), json)).status).toBe(413);
    },
  );

  it('body-carried credentials are 401 on POST /events/track', async () => {
    expectUnauthorized(await track({ origin: ORIGIN }, { ...event(), api_key: key.key }));
    expectUnauthorized(
      await track({ origin: ORIGIN }, { ...event(), runtime_token: await tokenFor(ORIGIN) }),
    );
    expectUnauthorized(await track({ 'x-api-key': key.key }, { ...event(), api_key: key.key }));
  });

  it("text/plain with a credential in its header is no page's beacon: 415", async () => {
    const answer = await beacon({ events: [event()] }, { 'x-api-key': key.key, origin: ORIGIN });
    expect(answer.status).toBe(415);
  });

  it('trust is server for X-API-Key in the header, browser otherwise, whatever the client claims', async () => {
    const lies = { trust: 'server', trust_class: 'server', trust_level: 'server' };
    expect(await trustOf(await track({ 'x-api-key': key.key }))).toBe('server');
    const authorization = `Bearer ${await tokenFor(ORIGIN)}`;
    expect(await trustOf(await track({ authorization, origin: ORIGIN }, { ...event(), ...lies }))).toBe(
      'browser',
    );
    const id = randomUUID();
    await beacon({ api_key: key.key, events: [{ ...event(), client_event_id: id }] }, { origin: ORIGIN });
    const rows = await queryProduct<{ trust: string }>(
      product,
      'ingestion',
      'select trust from events where client_event_id = $1',
      [id],
    );
    expect(rows[0]?.trust).toBe('browser');
  });

  it('CORS: preflights are answered for the origins that a site lists, and for no other', async () => {
    const preflight = (origin: string) =>
      request(`${product.baseUrl}/events/batch`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
    const good = await preflight(ORIGIN);
    expect(good.status).toBe(204);
    expect(good.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(good.headers.get('access-control-allow-methods')).toBe('POST');
    const allowed = good.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    for (const name of ['authorization', 'content-type', 'x-api-key', 'x-request-id'])
      expect(allowed).toContain(name);
    expect(good.headers.get('vary')).toContain('Origin');
    const bad = await preflight(OTHER_ORIGIN);
    expect(bad.headers.get('access-control-allow-origin')).toBeNull();
    expect(bad.headers.get('access-control-allow-methods')).toBeNull();
  });

  it('CORS: answers to a listed origin may be read there, with the rate limit and the request id; never by all', async () => {
    const authorization = `Bearer ${await tokenFor(ORIGIN)}`;
    for (const answer of [await track({ authorization, origin: ORIGIN }), await track({ origin: ORIGIN })]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      const exposed = answer.headers.get('access-control-expose-headers') ?? '';
      for (const name of [
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'X-Request-Id',
      ]) {
        expect(exposed).toContain(name);
      }
      expect(answer.headers.get('vary')).toContain('Origin');
    }
    const other = await track({ 'x-api-key': key.key, origin: OTHER_ORIGIN });
    expect(other.status).toBe(201);
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('no answer and no log line holds a credential', async () => {
    const token = await tokenFor(ORIGIN);
    const answers = [
      await track({ 'x-api-key': `${key.key.slice(0, -4)}AAAA` }),
      await track({ authorization: `Bearer ${token}` }),
      await beacon({ api_key: key.key, events: 'none' }, { origin: ORIGIN }),
    ];
    const secrets = [key.key.slice(12, -4), token.slice(-30)];
    for (const secret of secrets) {
      for (const { text } of answers) expect(text).not.toContain(secret);
      expect(await product.logs()).not.toContain(secret);
    }
  });
});
