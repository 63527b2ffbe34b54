import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { SiteResource } from '@truetally/contracts/management';
import type { ReconciledHour } from '@truetally/contracts/operations';
import { type Answer, eventually, request } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { UUID } from '@truetally/kernel';
import { queryProduct } from '../testing/query-product.js';

const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

interface Stored {
  readonly event_id: string;
  readonly timestamp: string;
  readonly deduplicated?: true;
}

interface Batch {
  readonly total: number;
  readonly stored: number;
  readonly deduplicated: number;
  readonly failed: number;
  readonly results: readonly (Partial<Stored> & {
    readonly index: number;
    readonly status: string;
    readonly error?: { readonly code: string; readonly details: object; readonly retryable: boolean };
  })[];
}

describe('interface page, section 4: events', () => {
  let product: Product;
  let site: SiteResource;
  let key: string;

  beforeAll(async () => {
    product = await sharedProduct();
    site = await product.createSite();
    key = (await product.createApiKey(site)).key;
  });

  afterAll(() => product.stop());

  const event = (changes: object = {}): Record<string, unknown> => ({
    event_type: 'page_view',
    session_id: 'session-1',
    client_event_id: randomUUID(),
    context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
    ...changes,
  });

  const track = (body: unknown): Promise<Answer<Stored>> =>
    request(`${product.baseUrl}/events/track`, { json: body, headers: { 'x-api-key': key } });

  const batch = (events: unknown): Promise<Answer<Batch>> =>
    request(`${product.baseUrl}/events/batch`, { json: { events }, headers: { 'x-api-key': key } });

  it('stored: 201 with event_id and timestamp, and one row in Postgres', async () => {
    const sent = event({ user_id: 'user-1', properties: { note: 'x' } });
    const { status, body } = await track(sent);
    expect(status).toBe(201);
    expect(body.data).toEqual({
      event_id: expect.stringMatching(UUID),
      timestamp: expect.stringMatching(ISO_MS),
    });
    const rows = await queryProduct(
      product,
      'ingestion',
      'select site_id, event_type, session_id, user_id, properties, received_at from events where event_id = $1',
      [body.data?.event_id],
    );
    expect(rows).toEqual([
      {
        site_id: site.id,
        event_type: 'page_view',
        session_id: 'session-1',
        user_id: 'user-1',
        properties: { note: 'x' },
        received_at: new Date(body.data?.timestamp ?? ''),
      },
    ]);
  });

  it('duplicate: 200 with deduplicated, both values those of the first storage', async () => {
    const sent = event();
    const first = await track(sent);
    const again = await track(sent);
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual({ ...first.body.data, deduplicated: true });
  });

  it('the same key with other content is still a duplicate: the first wins', async () => {
    const sent = event();
    const first = await track(sent);
    const other = await track({ ...sent, session_id: 'another' });
    expect(other.body.data).toEqual({ ...first.body.data, deduplicated: true });
  });

  it('the key is client_event_id; else time, page and business ids; else a purchase and its order; else none', async () => {
    const purchase = { event_type: 'purchase', client_event_id: null, session_id: randomUUID() };
    const order = event({ ...purchase, properties: { order_id: 'o-1', total: 5 } });
    expect([(await track(order)).status, (await track(order)).status]).toEqual([201, 200]);
    const timed = event({
      client_event_id: null,
      session_id: randomUUID(),
      occurred_at: '2026-01-31T09:30:00+01:00',
    });
    expect([(await track(timed)).status, (await track(timed)).status]).toEqual([201, 200]);
    const nothing = event({ client_event_id: null });
    expect([(await track(nothing)).status, (await track(nothing)).status]).toEqual([201, 201]);
  });

  it('an event of another site is another event', async () => {
    const other = await product.createApiKey(await product.createSite());
    const sent = event();
    const mine = await track(sent);
    const theirs = await request<Stored>(`${product.baseUrl}/events/track`, {
      json: sent,
      headers: { 'x-api-key': other.key },
    });
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.data?.event_id).not.toBe(mine.body.data?.event_id);
  });

  it('batch: 201 when every item succeeds, one entry per item in order', async () => {
    const { status, body } = await batch([event(), event()]);
    expect(status).toBe(201);
    expect(body.success).toBe(true);
    expect(body.data).toEqual({
      total: 2,
      stored: 2,
      deduplicated: 0,
      failed: 0,
      results: [0, 1].map((index) => ({
        index,
        status: 'stored',
        event_id: expect.stringMatching(UUID),
        timestamp: expect.stringMatching(ISO_MS),
      })),
    });
  });

  it('batch: 207 with success true when any item fails; a bad one never stops the others', async () => {
    const known = event();
    await track(known);
    const { status, body } = await batch([event(), { event_type: 'page_view' }, known, 'no event', event()]);
    expect(status).toBe(207);
    expect(body.success).toBe(true);
    expect(body.data).toMatchObject({ total: 5, stored: 2, deduplicated: 1, failed: 2 });
    expect(body.data?.results.map(({ status: one }) => one)).toEqual([
      'stored',
      'failed',
      'duplicate',
      'failed',
      'stored',
    ]);
    const failed = body.data?.results[1];
    expect(failed).toEqual({
      index: 1,
      status: 'failed',
      error: {
        code: 'VALIDATION_ERROR',
        message: expect.any(String),
        details: expect.any(Object),
        retryable: false,
      },
    });
    expect(Object.keys(failed?.error?.details ?? {})).toContain('events.1.session_id');
  });

  it('batch: two equal items are one stored and one duplicate with the same id', async () => {
    const twin = event();
    const { status, body } = await batch([twin, twin]);
    expect(status).toBe(201);
    expect(body.data?.results.map(({ status: one }) => one)).toEqual(['stored', 'duplicate']);
    expect(body.data?.results[1]).toMatchObject({
      event_id: body.data?.results[0]?.event_id,
      timestamp: body.data?.results[0]?.timestamp,
      deduplicated: true,
    });
  });

  it('batch: still 207 when every item fails', async () => {
    const { status, body } = await batch([{}, {}]);
    expect([status, body.success, body.data?.failed]).toEqual([207, true, 2]);
  });

  it.each([
    ['no array', 'events'],
    ['nothing in it', []],
    ['101 items', Array.from({ length: 101 }, () => ({}))],
    ['null', null],
  ])('a batch that is not an array of 1–100 is 400: %s', async (_name, events) => {
    const { status, body } = await batch(events);
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(Object.keys(body.error?.details ?? {})).toEqual(['events']);
  });

  it('a batch of 100 is taken', async () => {
    const { status, body } = await batch(Array.from({ length: 100 }, () => event()));
    expect([status, body.data?.stored]).toEqual([201, 100]);
  });

  it('an event of more than 64 KiB is 400, and fails alone in a batch', async () => {
    const large = event({ more: 'x'.repeat(64 * 1024) });
    expect((await track(large)).status).toBe(400);
    const { status, body } = await batch([event(), large]);
    expect(status).toBe(207);
    expect(body.data?.results.map(({ status: one }) => one)).toEqual(['stored', 'failed']);
  });

  it('occurred_at more than 24 h ahead of the server is 400', async () => {
    const ahead = (hours: number) =>
      event({ occurred_at: new Date(Date.now() + hours * 3_600_000).toISOString() });
    expect((await track(ahead(23.9))).status).toBe(201);
    const { status, body } = await track(ahead(24.1));
    expect([status, Object.keys(body.error?.details ?? {})]).toEqual([400, ['occurred_at']]);
  });

  it('bots are stored with is_bot, never dropped', async () => {
    const context = { page_url: 'https://shop.example/', user_agent: 'Googlebot/2.1' };
    const { status, body } = await track(event({ context }));
    expect(status).toBe(201);
    const rows = await queryProduct(product, 'ingestion', 'select is_bot from events where event_id = $1', [
      body.data?.event_id,
    ]);
    expect(rows).toEqual([{ is_bot: true }]);
  });

  it('conservation: received = stored + deduplicated + failed per site and hour, and the table agrees', async () => {
    const own = await product.createSite();
    const headers = { 'x-api-key': (await product.createApiKey(own)).key };
    const send = (path: string, json: unknown) =>
      request(`${product.baseUrl}/events/${path}`, { json, headers });
    const known = event();
    await send('track', known);
    await send('track', known);
    await send('track', {});
    await send('batch', { events: [event(), known, {}, 7] });
    await send('batch', { events: [{}, {}] });
    const authorization = `Bearer ${product.adminSecret}`;
    const read = async (): Promise<readonly ReconciledHour[]> => {
      const url = `${product.adminUrl}/reconciliation?site_id=${own.id}&limit=200`;
      const answer = await request<{ items: ReconciledHour[]; next_cursor: null }>(url, {
        headers: { authorization },
      });
      expect(answer.status).toBe(200);
      return answer.body.data?.items ?? [];
    };
    // The hour may change in between: sums over its parts are still equal.
    const sums = await eventually(async () => {
      const items = await read();
      const sum = (name: 'received' | 'stored' | 'deduplicated' | 'failed' | 'rows') =>
        items.reduce((total, item) => total + item[name], 0);
      const all = [sum('received'), sum('stored'), sum('deduplicated'), sum('failed'), sum('rows')];
      return items.every(({ balanced }) => balanced) && sum('received') === 9 ? all : false;
    });
    expect(sums).toEqual([9, 2, 2, 5, 2]);
  });

  it('reconciliation refuses invalid parameters, with the field', async () => {
    const headers = { authorization: `Bearer ${product.adminSecret}` };
    for (const [query, field] of [
      ['site_id=nope', 'site_id'],
      ['limit=0', 'limit'],
      ['limit=many', 'limit'],
      ['from=yesterday', 'from'],
      ['cursor=nonsense', 'cursor'],
    ]) {
      const { status, body } = await request(`${product.adminUrl}/reconciliation?${query}`, { headers });
      expect([status, body.error?.code, Object.keys(body.error?.details ?? {})]).toEqual([
        400,
        'VALIDATION_ERROR',
        [field],
      ]);
    }
    const unknown = await request(`${product.adminUrl}/reconciliation?site=1`, { headers });
    expect([unknown.status, unknown.body.error?.code]).toEqual([400, 'BAD_REQUEST']);
  });
});
