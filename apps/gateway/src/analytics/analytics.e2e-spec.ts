import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  Funnel,
  Overview,
  RevenueItemPage,
  RevenueReport,
  Timeseries,
} from '@truetally/contracts/analytics';
import type { Scope } from '@truetally/contracts/credentials';
import type { EventResource } from '@truetally/contracts/events';
import type { SiteResource } from '@truetally/contracts/management';
import { type Answer, eventually, request } from '@truetally/testing';
import { type Product, sharedProduct } from '@truetally/testing-product';
import { conversionsOf } from '../testing/conversions.js';
import { Merchant } from '../testing/merchant.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0';
const BOT = 'Googlebot/2.1 (+http://www.google.com/bot.html)';
/** Clocks in Berlin went forward on the 29th. */
const WINDOW = 'from=2026-03-28&to=2026-03-31';
const SCOPES: readonly Scope[] = ['events:write', 'partner_attribution:convert', 'analytics:read'];

interface EventPage {
  readonly items: readonly EventResource[];
  readonly next_cursor: string | null;
}

interface SentEvent {
  readonly type: string;
  readonly session: string;
  readonly at: string;
  readonly agent?: string;
  readonly properties?: object;
}

describe('interface page, section 9: reports of analytics', () => {
  let product: Product;
  let owner: Merchant;
  let site: SiteResource;
  let key: string;

  beforeAll(async () => {
    product = await sharedProduct();
    owner = await Merchant.join(product);
    site = await siteOf(owner);
    key = (await product.createApiKey(site, { scopes: SCOPES })).key;
    const purchase = { order_id: 'order-1', total_amount: 25.5, currency: 'EUR' };
    await send([
      { type: 'page_view', session: 'a', at: '2026-03-29T00:30:00Z' },
      { type: 'page_view', session: 'a', at: '2026-03-29T01:30:00Z' },
      { type: 'purchase', session: 'a', at: '2026-03-29T01:40:00Z', properties: purchase },
      { type: 'purchase', session: 'a', at: '2026-03-29T01:50:00Z', properties: purchase },
      { type: 'page_view', session: 'b', at: '2026-03-30T08:00:00Z' },
      {
        type: 'purchase',
        session: 'c',
        at: '2026-03-30T09:00:00Z',
        properties: { transaction_id: 't', total: 1.005 },
      },
      { type: 'page_view', session: 'bot', at: '2026-03-30T08:00:00Z', agent: BOT },
    ]);
    const orders = conversionsOf(site.id);
    const at = { occurred_at: '2026-03-29T02:00:00Z' };
    await convert(orders.simplePurchase('order-1', '25.00', at));
    await convert(orders.simplePurchase('order-2', '10.00', at));
    await eventually(
      async () => (await read<RevenueReport>('revenue', WINDOW)).currencies[0]?.authoritative.orders === 2,
    );
    await eventually(async () => (await read<Overview>('overview', WINDOW)).events === 6);
    // The bot's event is listed and not counted, and its session may be followed after the others.
    await eventually(async () => (await read<EventPage>('events', 'limit=10')).items.length === 7);
  });

  afterAll(() => product.stop());

  async function siteOf(merchant: Merchant): Promise<SiteResource> {
    const created = await merchant.post<SiteResource>('sites', {
      name: 'Shop',
      domain: 'shop.example',
      allowed_origins: ['https://shop.example'],
      timezone: 'Europe/Berlin',
    });
    if (created.body.data === undefined) throw new Error(created.text);
    return created.body.data;
  }

  async function send(events: readonly SentEvent[]): Promise<void> {
    const body = {
      events: events.map(({ type, session, at, agent = BROWSER, properties = {} }) => ({
        event_type: type,
        session_id: session,
        client_event_id: randomUUID(),
        occurred_at: at,
        properties,
        context: { page_url: 'https://shop.example/', user_agent: agent },
      })),
    };
    const answer = await request(`${product.baseUrl}/events/batch`, {
      headers: { 'x-api-key': key },
      json: body,
    });
    expect(answer.status).toBe(201);
  }

  async function convert(conversion: object): Promise<void> {
    const url = `${product.baseUrl}/partner-attribution/conversions`;
    const answer = await request(url, { headers: { 'x-api-key': key }, json: conversion });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  }

  function ask<T>(report: string, query: string, headers: Record<string, string>): Promise<Answer<T>> {
    return request(`${product.baseUrl}/analytics/${report}?site_id=${site.id}&${query}`, { headers });
  }

  async function read<T>(report: string, query: string): Promise<T> {
    const answer = await ask<T>(report, query, { 'x-api-key': key });
    if (answer.body.data === undefined) throw new Error(answer.text);
    return answer.body.data;
  }

  it('an overview counts events and sessions without bots, and both revenues', async () => {
    expect(await read<Overview>('overview', WINDOW)).toEqual({
      site_id: site.id,
      window: { from: '2026-03-27T23:00:00.000Z', to: '2026-03-30T22:00:00.000Z' },
      timezone: 'Europe/Berlin',
      as_of: expect.any(String),
      events: 6,
      sessions: 3,
      by_type: { page_view: 3, purchase: 3 },
      observed_revenue: [{ currency: 'EUR', amount: '52.00' }],
      authoritative_revenue: [{ currency: 'EUR', amount: '35.00' }],
    });
  });

  it('as_of passes the moment at which an event was stored', async () => {
    const sentAt = new Date().toISOString();
    await eventually(async () => (await read<Overview>('overview', WINDOW)).as_of >= sentAt);
  });

  it('a series has the hours and days of the site, 23 on the day on which clocks go forward', async () => {
    const { series: days } = await read<Timeseries>('timeseries', `${WINDOW}&interval=day`);
    expect(days).toEqual([
      { start: '2026-03-27T23:00:00.000Z', events: 0, sessions: 0, by_type: {} },
      { start: '2026-03-28T23:00:00.000Z', events: 4, sessions: 1, by_type: { page_view: 2, purchase: 2 } },
      { start: '2026-03-29T22:00:00.000Z', events: 2, sessions: 2, by_type: { page_view: 1, purchase: 1 } },
    ]);
    const { series: hours } = await read<Timeseries>(
      'timeseries',
      'from=2026-03-29&to=2026-03-30&interval=hour',
    );
    expect(hours.length).toBe(23);
    expect(hours.filter(({ events }) => events > 0).map(({ start, events }) => [start, events])).toEqual([
      ['2026-03-29T00:00:00.000Z', 1],
      ['2026-03-29T01:00:00.000Z', 3],
    ]);
  });

  it('a window may be instants within a quarter of an hour, and has what happened in it', async () => {
    const query = 'from=2026-03-29T01:30:00Z&to=2026-03-29T03:50:00%2B02:00';
    expect(await read<Overview>('overview', query)).toMatchObject({ events: 2, sessions: 1 });
  });

  it('a funnel counts sessions by step, and by device, provider or day', async () => {
    const funnel = await read<Funnel>('funnel', `${WINDOW}&steps=page_view,purchase&breakdown=day`);
    expect(funnel).toMatchObject({
      window_minutes: 1_440,
      steps: [
        { event_type: 'page_view', sessions: 2, share: 1 },
        { event_type: 'purchase', sessions: 1, share: 0.5 },
      ],
    });
    expect(funnel.breakdown?.map(({ value }) => value)).toEqual([
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    const none = await read<Funnel>('funnel', 'from=2020-01-01&to=2020-01-02&steps=search,purchase');
    expect(none.steps.map(({ share }) => share)).toEqual([null, null]);
  });

  it('events are listed newest first, with what was sent, by type, session, request and client_event_id', async () => {
    const page = await read<EventPage>('events', 'event_type=purchase&session_id=a&limit=1');
    const next = await read<EventPage>(
      'events',
      `event_type=purchase&session_id=a&cursor=${page.next_cursor}`,
    );
    const both = [...page.items, ...next.items];
    expect([both.length, new Set(both.map(({ event_id }) => event_id)).size, next.next_cursor]).toEqual([
      2,
      2,
      null,
    ]);
    const [first] = both;
    expect(first).toMatchObject({
      event_type: 'purchase',
      session_id: 'a',
      user_id: null,
      trust: 'server',
      is_bot: false,
      properties: { order_id: 'order-1', total_amount: 25.5, currency: 'EUR' },
      context: { page_url: 'https://shop.example/', user_agent: BROWSER },
    });
    const named = await read<EventPage>('events', `client_event_id=${first?.client_event_id}`);
    expect(named.items).toEqual([first]);
    const together = await read<EventPage>('events', `request_id=${first?.request_id}`);
    expect(together.items.length).toBe(7);
    expect((await read<EventPage>('events', 'client_event_id=unknown')).items).toEqual([]);
  });

  it('the parts of a difference sum to it, and each lists its orders and events', async () => {
    const { currencies } = await read<RevenueReport>('revenue', WINDOW);
    expect(currencies).toEqual([
      {
        currency: 'EUR',
        observed: {
          events: 3,
          amount: '52.00',
          by_trust: { browser: { events: 0, amount: '0.00' }, server: { events: 3, amount: '52.00' } },
        },
        authoritative: { orders: 2, amount: '35.00' },
        difference: '-17.00',
        parts: [
          { part: 'orders_without_event', count: 1, amount: '10.00' },
          { part: 'events_without_order', count: 1, amount: '-1.00' },
          { part: 'repeated_events', count: 1, amount: '-25.50' },
          { part: 'outside_window', count: 0, amount: '0.00' },
          { part: 'other_amount', count: 1, amount: '-0.50' },
          { part: 'adjustments', count: 0, amount: '0.00' },
          { part: 'cancellations', count: 0, amount: '0.00' },
        ],
      },
    ]);
    const { items } = await read<RevenueItemPage>(
      'revenue/items',
      `${WINDOW}&part=other_amount&currency=EUR`,
    );
    expect(items).toEqual([
      {
        order_id: 'order-1',
        event_id: expect.any(String),
        record_id: expect.any(String),
        occurred_at: '2026-03-29T02:00:00.000Z',
        amount: '-0.50',
      },
    ]);
  });

  it('reports are for members of the workspace, and for keys of the site with analytics:read', async () => {
    const analyst = await owner.invite('analyst');
    const stranger = await Merchant.join(product);
    const { key: writer } = await product.createApiKey(site, { scopes: ['events:write'] });
    const another = await siteOf(owner);
    const { key: elsewhere } = await product.createApiKey(another, { scopes: ['analytics:read'] });
    const path = `analytics/overview?site_id=${site.id}`;
    const members = await Promise.all([owner, analyst, stranger].map((member) => member.get(path)));
    const keys = [key, writer, elsewhere].map((one) => ask('overview', WINDOW, { 'x-api-key': one }));
    const answers = [...members, ...(await Promise.all([...keys, ask('overview', WINDOW, {})]))];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 200, 403, 403, 401]);
  });

  it.each([
    ['overview', 'from=2026-03-01', 'to'],
    ['overview', 'from=2026-03-02&to=2026-03-02', 'to'],
    ['overview', 'from=2026-03-02&to=2026-03-01', 'to'],
    ['overview', 'from=2026-02-30&to=2026-03-01', 'from'],
    ['timeseries', 'from=2025-01-01&to=2026-03-01&interval=hour', 'to'],
    ['timeseries', `${WINDOW}&interval=minute`, 'interval'],
    ['funnel', `${WINDOW}&steps=page_view`, 'steps'],
    ['funnel', `${WINDOW}&steps=page_view,unknown`, 'steps'],
    ['funnel', `${WINDOW}&steps=page_view,purchase&window_minutes=43201`, 'window_minutes'],
    ['revenue/items', `${WINDOW}&part=other&currency=EUR`, 'part'],
    ['revenue/items', `${WINDOW}&part=adjustments&currency=XXX`, 'currency'],
    ['revenue/items', `${WINDOW}&part=adjustments&currency=EUR&cursor=x`, 'cursor'],
  ])('%s with %s is refused, naming %s', async (report, query, field) => {
    const { status, body } = await ask(report, query, { 'x-api-key': key });
    expect([status, body.error?.code, Object.keys(body.error?.details ?? {})]).toEqual([
      400,
      'VALIDATION_ERROR',
      [field],
    ]);
  });
});
