import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  encodeStoredEvent,
  type RecordedConversionFact,
  type StoredEventFact,
} from '@truetally/contracts/facts';
import fc from 'fast-check';
import { siteOfEvent, toldConversion, toldEvent, UnreadEvent } from './trigger-fact.js';

const AT = '2026-02-01T00:00:00.000Z';

function eventOf(fields: Partial<StoredEventFact>): StoredEventFact {
  const ids = { event_id: randomUUID(), site_id: randomUUID(), session_id: 'session', request_id: 'request' };
  const nobody = { user_id: null, device_id: null, client_event_id: null, is_bot: false };
  const times = { occurred_at: AT, received_at: AT };
  return { event_type: 'purchase', trust: 'server', ...ids, ...nobody, ...times, ...fields };
}

describe('a stored event that may trigger workflows', () => {
  it('an event has the site and type of its whole text, whatever is in its fields', () => {
    const texts = fc.record({
      event_type: fc.string(),
      session_id: fc.string(),
      properties: fc.json(),
      isReversed: fc.boolean(),
    });
    fc.assert(
      fc.property(texts, ({ properties, isReversed, ...fields }) => {
        const event = eventOf(fields);
        const written = encodeStoredEvent(event, properties, '{}');
        const parsed = JSON.parse(written) as object;
        const value = isReversed
          ? JSON.stringify(Object.fromEntries(Object.entries(parsed).reverse()))
          : written;
        const told = toldEvent(value);
        expect([told?.siteId, told?.type]).toEqual([event.site_id, event.event_type]);
        const bytes = Buffer.from(value);
        expect(siteOfEvent(bytes)).toBe(isReversed ? undefined : event.site_id);
        const unread = new UnreadEvent(event.site_id, bytes);
        expect([unread.type, unread.read()?.eventId]).toEqual([event.event_type, event.event_id]);
        const fact = told?.read();
        expect([fact?.siteId, fact?.type, fact?.eventId]).toEqual([
          event.site_id,
          event.event_type,
          event.event_id,
        ]);
      }),
    );
  });

  it('an event of a browser triggers nothing, also one that says in its properties that it is a server’s', () => {
    const value = encodeStoredEvent(eventOf({ trust: 'browser' }), '{"nested":{"trust":"server"}}', '{}');
    expect(toldEvent(value)?.read()).toBeUndefined();
  });
});

/** The first fields of a record, in the ledger's order, and what of the rest is read here. */
function recordOf(fields: Partial<RecordedConversionFact>): Partial<RecordedConversionFact> {
  const ids = { record_id: randomUUID(), conversion_id: randomUUID(), site_id: randomUUID() };
  const order = { order_id: 'order', order_sequence: 1, event_type: 'purchase' as const, ...fields };
  return { ...ids, ...order, occurred_at: AT, recorded_at: AT };
}

describe('a record of the ledger that may trigger workflows', () => {
  it('a record has the site and type of its whole text, whatever its order is called', () => {
    const written = fc.record({
      order_id: fc.string({ unit: 'grapheme' }),
      event_type: fc.constantFrom('purchase' as const, 'adjustment' as const, 'cancellation' as const),
      isReversed: fc.boolean(),
    });
    fc.assert(
      fc.property(written, ({ isReversed, ...fields }) => {
        const record = recordOf(fields);
        const entries = Object.entries(record);
        const value = JSON.stringify(Object.fromEntries(isReversed ? entries.reverse() : entries));
        const told = toldConversion(value);
        expect([told?.siteId, told?.type]).toEqual([record.site_id, `conversion.${fields.event_type}`]);
        const fact = told?.read();
        expect([fact?.siteId, fact?.type]).toEqual([told?.siteId, told?.type]);
        expect([fact?.recordId, fact?.orderId]).toEqual([record.record_id, fields.order_id]);
      }),
    );
  });

  it('no more than the beginning of a record is read before a workflow asks for it', () => {
    const value = JSON.stringify(recordOf({}));
    expect(toldConversion(value.slice(0, -1))?.type).toBe('conversion.purchase');
  });

  it('a change of the commission alone triggers nothing', () => {
    expect(toldConversion(JSON.stringify(recordOf({ event_type: 'commission' })))).toBeUndefined();
  });
});
