import { describe, expect, it } from '@jest/globals';
import { anyUrl } from '@truetally/kernel/testing';
import { EVENT_TYPES, type EventType, identifyingValues } from '@truetally/contracts/events';
import { type Instant, parseInstant } from '@truetally/kernel';
import fc from 'fast-check';
import { type EventIdentity, eventIdOf } from './deduplication-key.js';

const IDENTIFYING: Readonly<Record<EventType, readonly string[]>> = {
  page_view: [],
  product_view: ['product_id'],
  add_to_cart: ['product_id'],
  remove_from_cart: ['product_id'],
  purchase: ['order_id', 'transaction_id'],
  search: ['query'],
  custom: ['event_name'],
  chatbot_message: ['message'],
  recommendation_impression: ['recommendation_id', 'campaign_id'],
  recommendation_click: ['recommendation_id', 'campaign_id', 'product_id'],
  overlay_impression: ['overlay_id', 'campaign_id'],
  overlay_click: ['overlay_id', 'campaign_id'],
  overlay_dismiss: ['overlay_id', 'campaign_id'],
  overlay_submit: ['overlay_id', 'campaign_id'],
  quiz_start: ['overlay_id', 'campaign_id', 'quiz_id'],
  quiz_answer: ['overlay_id', 'campaign_id', 'quiz_id', 'question_id', 'answer_id'],
  quiz_complete: ['overlay_id', 'campaign_id', 'quiz_id', 'result_id'],
  partner_link_click: ['provider', 'click_reference', 'destination_url'],
};

const text = fc.string({ minLength: 1, maxLength: 8 });
const instant = (written: string): Instant => {
  const read = parseInstant(written);
  if (read === undefined) throw new Error(`${written} is no instant`);
  return read;
};
const instants = fc
  .tuple(
    fc.date({
      min: new Date('2020-01-01T00:00:00Z'),
      max: new Date('2026-01-01T00:00:00Z'),
      noInvalidDate: true,
    }),
    fc.nat(999),
  )
  .map(([date, micro]) => instant(date.toISOString().replace('Z', `${String(micro).padStart(3, '0')}Z`)));

const identity: fc.Arbitrary<EventIdentity> = fc.constantFrom(...EVENT_TYPES).chain((eventType) =>
  fc.record({
    siteId: fc.uuid(),
    trust: fc.constantFrom('server', 'browser'),
    eventType: fc.constant(eventType),
    sessionId: text,
    clientEventId: fc.constant(null),
    occurredAt: instants,
    pageUrl: anyUrl,
    properties: fc.record(Object.fromEntries(IDENTIFYING[eventType].map((name) => [name, text]))),
  }),
);

const noRandomness = (): string => {
  throw new Error('This event has a key of its own.');
};
const idOf = (event: EventIdentity): string => eventIdOf(event, noRandomness);

describe('the event id', () => {
  it('the event id is the same for the same key, whatever else the event holds', () => {
    fc.assert(
      fc.property(
        identity,
        fc.dictionary(
          fc.string().map((name) => `x-${name}`),
          fc.jsonValue(),
        ),
        (event, more) => {
          const replay = { ...event, properties: { ...more, ...event.properties } };
          expect(idOf(replay)).toBe(idOf(event));
          expect(idOf(event)).toMatch(
            /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
          );
        },
      ),
    );
  });

  it('the event id is another one when any field of the key differs', () => {
    fc.assert(
      fc.property(identity, identity, text, (event, other, suffix) => {
        const later: Instant = { epochMs: (event.occurredAt?.epochMs ?? 0) + 1, subMillisecond: '' };
        const finer: Instant = { epochMs: event.occurredAt?.epochMs ?? 0, subMillisecond: '9999' };
        const changes: Partial<EventIdentity>[] = [
          { siteId: `${event.siteId}${suffix}` },
          { sessionId: event.sessionId + suffix },
          { pageUrl: event.pageUrl + suffix },
          { occurredAt: later },
          { occurredAt: finer },
          { clientEventId: event.sessionId },
          ...IDENTIFYING[event.eventType].map((name) => ({
            properties: { ...event.properties, [name]: `${String(event.properties[name])}${suffix}` },
          })),
          ...(other.eventType === event.eventType ? [] : [{ eventType: other.eventType }]),
        ];
        const ids = changes.map((change) => idOf({ ...event, ...change }));
        expect(new Set([idOf(event), ...ids]).size).toBe(changes.length + 1);
      }),
    );
  });

  it('the event id does not depend on how the instant is spelled', () => {
    const spellings = [
      '2026-01-31T09:30:00.5Z',
      '2026-01-31T09:30:00.500000z',
      '2026-01-31T15:00:00.500+05:30',
      '2026-01-31T04:30:00,5-0500',
    ];
    fc.assert(
      fc.property(identity, (event) => {
        expect(
          new Set(spellings.map((spelling) => idOf({ ...event, occurredAt: instant(spelling) }))).size,
        ).toBe(1);
      }),
    );
  });

  it('follows only the client event id if there is one', () => {
    fc.assert(
      fc.property(identity, identity, text, (event, other, clientEventId) => {
        const first = idOf({ ...event, clientEventId });
        expect(idOf({ ...other, siteId: event.siteId, trust: event.trust, clientEventId })).toBe(first);
        expect(idOf({ ...event, clientEventId, occurredAt: undefined })).toBe(first);
        expect(idOf({ ...event, siteId: `${event.siteId}x`, clientEventId })).not.toBe(first);
        expect(idOf({ ...event, clientEventId: `${clientEventId}x` })).not.toBe(first);
      }),
    );
  });

  it('the event id is never the same for a visitor and the shop, where a client event id decides', () => {
    fc.assert(
      fc.property(identity, identity, text, (event, other, clientEventId) => {
        const ofVisitor = idOf({ ...other, siteId: event.siteId, trust: 'browser', clientEventId });
        expect(idOf({ ...event, trust: 'server', clientEventId })).not.toBe(ofVisitor);
      }),
    );
  });

  it('the event id is the same for both if the event is identified by its content', () => {
    fc.assert(
      fc.property(identity, (event) => {
        expect(idOf({ ...event, trust: 'server' })).toBe(idOf({ ...event, trust: 'browser' }));
      }),
    );
  });

  it('follows the order of a purchase without an occurrence time, on whatever page', () => {
    fc.assert(
      fc.property(identity, text, text, (any, order, suffix) => {
        const event: EventIdentity = {
          ...any,
          eventType: 'purchase',
          occurredAt: undefined,
          properties: { order_id: order },
        };
        const first = idOf(event);
        expect(idOf({ ...event, pageUrl: `${event.pageUrl}${suffix}` })).toBe(first);
        expect(idOf({ ...event, properties: { order_id: order, transaction_id: suffix, total: 5 } })).toBe(
          first,
        );
        const others = [
          { ...event, properties: { order_id: order + suffix } },
          { ...event, properties: { transaction_id: order } },
          { ...event, sessionId: event.sessionId + suffix },
          { ...event, siteId: event.siteId + suffix },
        ];
        expect(new Set([first, ...others.map(idOf)]).size).toBe(others.length + 1);
      }),
    );
  });

  it('the event id is fresh for an event with neither a client event id nor an occurrence time', () => {
    fc.assert(
      fc.property(identity, fc.uuid(), (event, fresh) => {
        fc.pre(event.eventType !== 'purchase');
        expect(eventIdOf({ ...event, occurredAt: undefined }, () => fresh)).toBe(fresh);
      }),
    );
  });
});

describe('the business ids of a type', () => {
  it.each(EVENT_TYPES)('the business ids of a type are those of the table for %s', (type) => {
    const names = IDENTIFYING[type];
    const properties = Object.fromEntries(names.map((name) => [name, `${name}!`]));
    expect(identifyingValues(type, { ...properties, total: 5, unrelated: 'x' })).toEqual(
      names.map((name) => `${name}!`),
    );
    expect(identifyingValues(type, {})).toEqual(names.map(() => null));
  });
});
