import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Trail, TrailItem } from '@truetally/contracts/events';
import type { SiteResource, WorkflowResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { Merchant } from '../testing/merchant.js';

const ORIGIN = 'https://shop.example';
const PATIENT = { timeoutMs: 240_000 };

const event = (given: object = {}): object => ({
  event_type: 'page_view',
  session_id: 'session-1',
  client_event_id: randomUUID(),
  context: { page_url: `${ORIGIN}/`, user_agent: 'Mozilla/5.0' },
  ...given,
});

describe('interface page, section 9: where is my event', () => {
  let product: Product;
  let owner: Merchant;
  let site: SiteResource;
  let key: string;

  beforeAll(async () => {
    product = await sharedProduct();
    owner = await Merchant.join(product);
    const created = await owner.post<SiteResource>('sites', {
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: [ORIGIN],
    });
    if (created.body.data === undefined) throw new Error(created.text);
    site = created.body.data;
    ({ key } = await product.createApiKey(site, { scopes: ['events:write', 'analytics:read'] }));
  });

  afterAll(() => product.stop());

  function post<Data>(path: string, json: unknown, requestId: string, withKey = key): Promise<Answer<Data>> {
    const headers = { 'x-api-key': withKey, 'x-request-id': requestId };
    return request(`${product.baseUrl}/${path}`, { headers, json });
  }

  async function trail(query: string): Promise<Trail> {
    const answer = await owner.get<Trail>(`analytics/events/trail?site_id=${site.id}&${query}`);
    if (answer.body.data === undefined) throw new Error(answer.text);
    return answer.body.data;
  }

  /** When it has so many items: refusals are told after their answers. */
  async function items(query: string, count: number): Promise<readonly TrailItem[]> {
    await eventually(async () => (await trail(query)).items.length === count, PATIENT);
    return (await trail(query)).items;
  }

  it('a stored event is found by each of its ids, at once, and then in the reports', async () => {
    const [clientEventId, requestId] = [randomUUID(), randomUUID()];
    const sent = await post<{ readonly event_id: string; readonly timestamp: string }>(
      'events/track',
      event({ client_event_id: clientEventId }),
      requestId,
    );
    expect(sent.status).toBe(201);
    const { event_id, timestamp } = sent.body.data ?? { event_id: '', timestamp: '' };
    const expected = {
      outcome: 'stored',
      request_id: requestId,
      index: null,
      received_at: timestamp,
      event_id,
      event_type: 'page_view',
      client_event_id: clientEventId,
      trust: 'server',
      is_bot: false,
      duplicate_of: null,
      error: null,
      deliveries: [],
    };
    const queries = [
      `event_id=${event_id.toUpperCase()}`,
      `client_event_id=${clientEventId}`,
      `request_id=${requestId}`,
    ];
    for (const query of queries) {
      const found = await trail(query);
      expect(found.items).toMatchObject([expected]);
      expect(['counted', 'pending']).toContain(found.items[0]?.report);
      expect(Date.parse(found.searched.refused_since)).toBeLessThan(Date.now());
    }
    await eventually(
      async () => (await trail(`event_id=${event_id}`)).items[0]?.report === 'counted',
      PATIENT,
    );
  });

  it('a batch shows each item at its place: stored, duplicate of, refused because; a bot is never counted', async () => {
    const requestId = randomUUID();
    const first = event();
    const bot = event({ context: { page_url: `${ORIGIN}/`, user_agent: 'Googlebot/2.1' } });
    const bad = event({ event_type: 'product_view', properties: {}, client_event_id: 'bad-1' });
    const sent = await post('events/batch', { events: [first, bad, first, 'none', bot] }, requestId);
    expect(sent.status).toBe(207);
    const found = await eventually(async () => {
      const all = await items(`request_id=${requestId}`, 5);
      return all[0]?.report === 'counted' ? all : undefined;
    }, PATIENT);
    expect(found.map(({ index, outcome }) => [index, outcome])).toEqual([
      [0, 'stored'],
      [1, 'refused'],
      [2, 'duplicate'],
      [3, 'refused'],
      [4, 'stored'],
    ]);
    expect(found[1]).toMatchObject({
      event_id: null,
      event_type: 'product_view',
      client_event_id: 'bad-1',
      error: { code: 'VALIDATION_ERROR', details: { 'properties.product_id': [expect.any(String)] } },
      report: null,
    });
    expect(found[2]?.duplicate_of).toEqual({
      event_id: found[0]?.event_id,
      timestamp: found[0]?.received_at,
      request_id: requestId,
    });
    expect(found[3]?.error?.details).toEqual({ body: [expect.any(String)] });
    expect([found[4]?.is_bot, found[4]?.report]).toEqual([true, 'bot']);
    expect((await items('client_event_id=bad-1', 1))[0]).toEqual(found[1]);
    const ofEvent = await items(`event_id=${found[0]?.event_id ?? ''}`, 2);
    expect(new Set(ofEvent)).toEqual(new Set([found[0], found[2]]));
  });

  it('a single refused event, and a request refused whole, leave a trail by the request', async () => {
    const [single, whole, limited] = [randomUUID(), randomUUID(), randomUUID()];
    await post('events/track', event({ session_id: '' }), single);
    await post('events/batch', { events: 'none' }, whole);
    const { key: spent } = await product.createApiKey(site, { scopes: ['events:write'], hourly_limit: 1 });
    await post('events/batch', { events: [event(), event()] }, limited, spent);
    expect((await items(`request_id=${single}`, 1))[0]).toMatchObject({
      outcome: 'refused',
      index: null,
      trust: 'server',
      error: { code: 'VALIDATION_ERROR', details: { session_id: [expect.any(String)] } },
    });
    for (const [id, code] of [
      [whole, 'VALIDATION_ERROR'],
      [limited, 'RATE_LIMIT_EXCEEDED'],
    ] as const) {
      expect((await items(`request_id=${id}`, 1))[0]).toMatchObject({
        index: null,
        event_type: null,
        error: { code, details: {} },
      });
    }
  });

  it('the deliveries that an event caused are listed with it', async () => {
    const made = await owner.post<WorkflowResource>('workflows', {
      site_id: site.id,
      name: 'Tell',
      trigger: { event_types: ['search'] },
      action: { type: 'webhook', url: 'https://hooks.example/in' },
    });
    const workflow = made.body.data ?? { id: '' };
    expect(made.status).toBe(201);
    await eventually(async () => {
      const sent = await post<{ readonly event_id: string }>(
        'events/track',
        event({ event_type: 'search', properties: { query: 'shoes' } }),
        randomUUID(),
      );
      const found = await trail(`event_id=${sent.body.data?.event_id ?? ''}`);
      return found.items[0]?.deliveries.some(({ workflow_id: id }) => id === workflow.id) === true;
    }, PATIENT);
  });

  it('exactly one id is asked for, by those who may read the site', async () => {
    const path = `analytics/events/trail?site_id=${site.id}`;
    const ids = ['event_id', 'client_event_id', 'request_id'];
    for (const [query, fields] of [
      ['', ids],
      [`&event_id=${randomUUID()}&request_id=a`, ['event_id', 'request_id']],
      ['&event_id=none', ['event_id']],
      ['&request_id=', ['request_id']],
      ['&request_id=a&limit=201', ['limit']],
    ] as const) {
      const refused = await owner.get(`${path}${query}`);
      expect([refused.status, Object.keys(refused.body.error?.details ?? {}).toSorted()]).toEqual([
        400,
        [...fields].toSorted(),
      ]);
    }
    const analyst = await owner.invite('analyst');
    const stranger = await Merchant.join(product);
    const { key: weak } = await product.createApiKey(site, { scopes: ['events:write'] });
    const byKey = (used: string) =>
      request(`${product.baseUrl}/${path}&request_id=a`, { headers: { 'x-api-key': used } });
    const statuses = [
      (await analyst.get(`${path}&request_id=a`)).status,
      (await byKey(key)).status,
      (await byKey(weak)).status,
      (await stranger.get(`${path}&request_id=a`)).status,
    ];
    expect(statuses).toEqual([200, 200, 403, 404]);
  });
});
