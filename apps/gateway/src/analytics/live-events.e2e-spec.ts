import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventResource } from '@truetally/contracts/events';
import { eventually, request } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { LiveShop } from '../testing/live-shop.js';

const PATIENCE = { timeoutMs: 240_000 };
const UNKNOWN_IDS = [
  'x',
  '0',
  '-1',
  'A'.repeat(60),
  '../../etc/passwd',
  '%00',
  '1-2-3',
  'é',
  'A'.repeat(4_000),
];

describe('interface page, section 9: the live stream', () => {
  let product: Product;
  let shop: LiveShop;

  beforeAll(async () => {
    product = await sharedProduct();
    shop = await LiveShop.open(product);
  });

  afterEach(() => shop.leaveAll());

  afterAll(() => product.stop());

  it('a stream sends what is stored after it was opened, once, in order, as the list shows it', async () => {
    await shop.send([{}]);
    const reader = await shop.opened();
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(reader.headers['content-encoding']).toBeUndefined();
    const sent: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      const properties = { text: 'Zeile\n\r\u2028 "ü"', index };
      sent.push(...(await shop.send([{ session_id: `session-${index}`, user_id: 'user', properties }])));
    }
    await reader.hasStored(sent.length);
    expect(reader.frames[0]).toEqual({
      event: 'open',
      id: expect.any(String),
      data: { as_of: expect.any(String), resumed: false },
    });
    expect(reader.stored.map(({ event_id }) => event_id)).toEqual(sent);
    for (const { id } of reader.frames) expect([id.length <= 200, id]).toEqual([true, expect.any(String)]);
    await eventually(async () => {
      const list = await request<{ items: readonly EventResource[] }>(
        `${product.baseUrl}/analytics/events?site_id=${shop.site.id}&limit=20`,
        { headers: { 'x-api-key': shop.key } },
      );
      const items = (list.body.data?.items ?? []).toReversed();
      return items.length === 20 && items.every((item, at) => item.event_id === sent[at]) && items;
    }, PATIENCE);
    const list = await request<{ items: readonly EventResource[] }>(
      `${product.baseUrl}/analytics/events?site_id=${shop.site.id}&limit=20`,
      { headers: { 'x-api-key': shop.key } },
    );
    expect(reader.stored).toEqual((list.body.data?.items ?? []).toReversed());
  });

  it('the events of one request with one session come in the order of the request', async () => {
    const reader = await shop.opened();
    const sent = await shop.send(Array.from({ length: 50 }, (_, index) => ({ properties: { index } })));
    await reader.hasStored(sent.length);
    expect(reader.stored.map(({ event_id }) => event_id)).toEqual(sent);
  });

  it('filters of a stream are those of the list', async () => {
    const clientEventId = randomUUID();
    const all = await shop.opened();
    const asked = [
      '&event_type=search',
      '&session_id=wanted',
      `&client_event_id=${clientEventId}`,
      '&request_id=live-request-1',
    ];
    const filtered = await Promise.all(asked.map((query) => shop.opened({ query })));
    const [search] = await shop.send([{ event_type: 'search', properties: { query: 'shoes' } }]);
    const [wanted] = await shop.send([{ session_id: 'wanted' }]);
    const [named] = await shop.send([{ client_event_id: clientEventId }]);
    const tracked = await request<{ event_id: string }>(`${product.baseUrl}/events/track`, {
      headers: { 'x-api-key': shop.key, 'x-request-id': 'live-request-1' },
      json: {
        event_type: 'page_view',
        session_id: 'last',
        context: { page_url: 'https://shop.example/', user_agent: 'Mozilla/5.0' },
      },
    });
    await all.hasStored(4);
    await Promise.all(filtered.map((reader) => reader.hasStored(1)));
    expect(filtered.map(({ stored }) => stored.map(({ event_id }) => event_id))).toEqual([
      [search],
      [wanted],
      [named],
      [tracked.body.data?.event_id],
    ]);
    for (const query of ['&event_type=nothing', '&session_id=', '&limit=5', '&cursor=x', '&other=1']) {
      expect([query, (await shop.ask({ query })).status]).toEqual([query, 400]);
    }
  });

  it('a stream resumes behind its last frame over another gateway, each event once', async () => {
    const first = await shop.opened();
    const sent = [
      ...(await shop.send(Array.from({ length: 12 }, (_, at) => ({ session_id: `resumed-${at}` })))),
    ];
    await first.hasStored(5);
    first.leave();
    const seen = [...first.stored.map(({ event_id }) => event_id)];
    const lastId = first.lastId;
    sent.push(...(await shop.send(Array.from({ length: 12 }, (_, at) => ({ session_id: `resumed-${at}` })))));
    const second = await shop.opened({
      gateway: 1,
      headers: { 'x-api-key': shop.key, 'last-event-id': lastId },
    });
    expect(second.frames[0]?.data).toMatchObject({ resumed: true });
    sent.push(...(await shop.send([{ session_id: 'resumed-live' }])));
    await second.hasStored(sent.length - seen.length);
    second.leave();
    seen.push(...second.stored.map(({ event_id }) => event_id));
    expect(seen.toSorted()).toEqual(sent.toSorted());
    const third = await shop.opened({ headers: { 'x-api-key': shop.key, 'last-event-id': second.lastId } });
    expect(third.frames[0]?.data).toMatchObject({ resumed: true });
    const [last] = await shop.send([{}]);
    await third.hasStored(1);
    expect(third.stored.map(({ event_id }) => event_id)).toEqual([last]);
  });

  it('every frame of a stream can be resumed from, to exactly what follows it', async () => {
    const first = await shop.opened();
    const sent = await shop.send(Array.from({ length: 20 }, (_, at) => ({ session_id: `each-${at}` })));
    await first.hasStored(sent.length);
    const order = first.stored.map(({ event_id }) => event_id);
    for (const at of [0, 7, 13, 19]) {
      const id = first.frames[at]?.id ?? '';
      const reader = await shop.opened({
        gateway: at % 2,
        headers: { 'x-api-key': shop.key, 'last-event-id': id },
      });
      await reader.hasStored(sent.length - at);
      expect(reader.stored.map(({ event_id }) => event_id).toSorted()).toEqual(order.slice(at).toSorted());
      reader.leave();
    }
  });

  it('an unknown Last-Event-ID begins now, and says so', async () => {
    const other = await shop.anotherSite();
    const foreign = await shop.opened({ of: other.site, headers: { 'x-api-key': other.key } });
    for (const id of [...UNKNOWN_IDS, foreign.lastId, `${foreign.lastId.slice(0, -1)}_`]) {
      const headers = { 'x-api-key': shop.key, 'last-event-id': Buffer.from(id).toString('latin1') };
      const reader = await shop.opened({ headers });
      expect([id, reader.frames[0]?.data]).toEqual([id, { as_of: expect.any(String), resumed: false }]);
      reader.leave();
    }
  });

  it('a reader that does not read is told how much it missed, and slows nobody', async () => {
    const slow = await shop.ask({ isReading: false });
    const fast = await shop.opened();
    const properties = { text: 'x'.repeat(30_000) };
    let sent = 0;
    // More than sockets take, and what may wait.
    for (let round = 0; round < 14; round += 1) {
      sent += (await shop.send(Array.from({ length: 30 }, () => ({ properties })))).length;
      await fast.hasStored(sent);
    }
    expect(fast.missed).toBe(0);
    fast.leave();
    slow.read();
    await slow.has('missed');
    await eventually(() => slow.stored.length + slow.missed === sent, PATIENCE);
    const [last] = await shop.send([{}]);
    await eventually(() => slow.stored.at(-1)?.event_id === last, PATIENCE);
    expect(slow.stored.length + slow.missed).toBe(sent + 1);
  });
});
