import { describe, expect, it } from '@jest/globals';
import { checkProperties, isEventType, TrackEvent } from '@truetally/contracts/events';
import { compileReader } from '@truetally/contracts/validation';
import { convertGa4Payload, convertSegmentCall } from './convert-payloads.js';
import type { Event } from './index.js';

const read = compileReader(TrackEvent);

/** By the service's own rules. */
function faultsOf(event: Event): unknown {
  const result = read(event);
  const { event_type: type, properties = {} } = event as {
    event_type: string;
    properties?: Record<string, unknown>;
  };
  if (!result.ok) return result.error;
  return isEventType(type) ? checkProperties(type, properties) : `unknown type ${type}`;
}

const CALL = {
  type: 'track',
  event: 'Order Completed',
  messageId: 'm-1',
  userId: 'u-1',
  anonymousId: 'a-1',
  originalTimestamp: '2026-01-31T09:30:00Z',
  properties: { order_id: 'o-1', revenue: '19.90', currency: 'EUR' },
  context: {
    page: { url: 'https://shop.example/thanks', referrer: 'https://shop.example/cart', title: 'Thanks' },
    userAgent: 'Mozilla/5.0',
  },
};

describe('a call of Segment or RudderStack', () => {
  it('its names, ids and time become those of an event', () => {
    expect(convertSegmentCall(CALL)).toEqual({
      skipped: [],
      events: [
        {
          event_type: 'purchase',
          session_id: 'a-1',
          user_id: 'u-1',
          device_id: 'a-1',
          client_event_id: 'm-1',
          occurred_at: '2026-01-31T09:30:00Z',
          properties: { order_id: 'o-1', revenue: 19.9, currency: 'EUR', total_amount: 19.9 },
          context: {
            page_url: 'https://shop.example/thanks',
            referrer: 'https://shop.example/cart',
            page_title: 'Thanks',
            user_agent: 'Mozilla/5.0',
          },
        },
      ],
    });
  });

  it('a visitor whose clock is wrong has the time that the platform has put right', () => {
    const call = { ...CALL, originalTimestamp: '2026-02-03T09:30:00Z', timestamp: '2026-01-31T09:30:00Z' };
    expect(convertSegmentCall(call).events).toMatchObject([{ occurred_at: '2026-01-31T09:30:00Z' }]);
  });

  it.each([
    [1769851800000, 'a-1.1769851800000'],
    ['checkout-7', 'checkout-7'],
  ])('visitors whose sessions have the same number (%p) do not share one', (sessionId, session_id) => {
    const { events } = convertSegmentCall({ ...CALL, context: { ...CALL.context, sessionId } });
    expect(events).toMatchObject([{ session_id }]);
    expect(events.map(faultsOf)).toEqual([[]]);
  });

  it('a visitor with the longest id that may be has a session that may be, too', () => {
    const call = { ...CALL, anonymousId: `a${'b'.repeat(127)}` };
    const sessions = [1769851800000, 1769851801000].map((sessionId) => {
      const [event] = convertSegmentCall({ ...call, context: { ...CALL.context, sessionId } }).events;
      expect(event && faultsOf(event)).toEqual([]);
      return event?.session_id;
    });
    expect(new Set(sessions).size).toBe(2);
  });

  it('every call with a counterpart becomes an event that the service takes', () => {
    const properties = { product_id: 'SKU-1', query: 'shoes', order_id: 'o-1', total: 10 };
    const names = [
      'Product Viewed',
      'Product Added',
      'Product Removed',
      'Order Completed',
      'Products Searched',
      'Signed Up',
    ];
    const calls = [
      ...names.map((event) => ({ ...CALL, event, properties })),
      { ...CALL, type: 'page', name: 'Home' },
    ];
    const events = calls.flatMap((call) => convertSegmentCall(call).events);
    expect(events.map((event) => event.event_type)).toEqual([
      'product_view',
      'add_to_cart',
      'remove_from_cart',
      'purchase',
      'search',
      'custom',
      'page_view',
    ]);
    expect(events.map(faultsOf)).toEqual(events.map(() => []));
  });

  it('a call that is no event is skipped with its reason, and defaults fill what is missing', () => {
    expect(convertSegmentCall({ type: 'identify', userId: 'u' }).skipped[0]?.reason).toContain(
      'only track, page',
    );
    const bare = { type: 'track', event: 'Product Viewed', properties: { product_id: 'p' } };
    expect(convertSegmentCall(bare).skipped[0]?.reason).toContain('defaults.session_id');
    expect(convertSegmentCall({ ...bare, anonymousId: 'a' }).skipped[0]?.reason).toContain(
      'defaults.page_url',
    );
    const { events } = convertSegmentCall(bare, { session_id: 's', page_url: 'https://shop.example/' });
    expect(events.map(faultsOf)).toEqual([[]]);
    const without = convertSegmentCall({ ...CALL, properties: { revenue: 1 } });
    expect(without.skipped).toEqual([{ name: 'Order Completed', reason: 'no order_id' }]);
    const order = { order_id: 17, total: 'n/a', revenue: '', value: '19.90' };
    const [sold] = convertSegmentCall({ ...CALL, properties: order }).events;
    expect(sold?.properties).toEqual({ order_id: '17', total_amount: 19.9, value: 19.9 });
    const endless = convertSegmentCall({ ...CALL, properties: { order_id: '17', total: '1e999' } });
    expect(endless.skipped).toEqual([{ name: 'Order Completed', reason: 'no total_amount' }]);
  });
});

const ORDER = {
  transaction_id: 7001,
  value: '12.50',
  currency: 'EUR',
  items: [{ item_id: 'A', quantity: 2 }],
};

describe('a body of Google Analytics 4', () => {
  it('each of its events and products becomes an event that the service takes', () => {
    const params = { ga_session_id: 1700000000, page_location: 'https://shop.example/p', page_title: 'P' };
    const { events, skipped } = convertGa4Payload({
      client_id: '123.456',
      timestamp_micros: '1769851800000000',
      events: [
        { name: 'page_view', params },
        { name: 'view_item', params: { ...params, items: [{ item_id: 'A' }, { item_id: 'B', price: 2 }] } },
        { name: 'purchase', params: { ...params, ...ORDER } },
        { name: 'search', params: { ...params, search_term: 'shoes' } },
        { name: 'sign_up', params },
        { name: 'add_to_cart', params },
      ],
    });
    expect(skipped).toEqual([{ name: 'add_to_cart', reason: 'no product_id' }]);
    expect(events.map((event) => event.event_type)).toEqual([
      'page_view',
      'product_view',
      'product_view',
      'purchase',
      'search',
      'custom',
    ]);
    expect(events.map(faultsOf)).toEqual(events.map(() => []));
    expect(events[1]?.properties).not.toHaveProperty('items');
    expect(events[3]).toMatchObject({
      session_id: '123.456.1700000000',
      occurred_at: '2026-01-31T09:30:00.000Z',
      properties: { order_id: '7001', total_amount: 12.5, currency: 'EUR', items: ORDER.items },
    });
  });
});

describe('names and times that another product lets pass', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'an event named %s is a custom one',
    (name) => {
      const defaults = { page_url: 'https://shop.example/', session_id: 's-1' };
      const converted = [
        convertSegmentCall({ type: 'track', event: name }, defaults),
        convertGa4Payload({ events: [{ name }] }, defaults),
      ];
      for (const { events, skipped } of converted) {
        expect(skipped).toEqual([]);
        expect(events).toMatchObject([{ event_type: 'custom', properties: { event_name: name } }]);
        expect(events.map(faultsOf)).toEqual([[]]);
      }
    },
  );

  it.each([1e30, Infinity, NaN, -1, 'soon'])(
    'a time that is no instant (%p) is left out',
    (timestamp_micros) => {
      const payload = { client_id: 'c-1', timestamp_micros, events: [{ name: 'page_view' }] };
      const { events } = convertGa4Payload(payload, { page_url: 'https://shop.example/' });
      expect(events).toHaveLength(1);
      expect(events[0]).not.toHaveProperty('occurred_at');
    },
  );
});
