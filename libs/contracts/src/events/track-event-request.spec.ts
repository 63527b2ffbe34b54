import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TRUST_CLASSES } from '../credentials/index.js';
import { ERROR_CODES } from '../http/failures.js';
import {
  decodeTrackEvent,
  encodeEventColumns,
  encodeTrackEvent,
  encodeTrackEventReply,
  parseTrackEventReply,
} from './index.js';

const anyText = fc.string({ unit: 'grapheme' });
const event = fc.record({
  event_id: fc.uuid(),
  event_type: anyText,
  session_id: anyText,
  user_id: fc.option(anyText),
  device_id: fc.option(anyText),
  client_event_id: fc.option(anyText),
  occurred_at: anyText,
  is_bot: fc.boolean(),
  index: fc.option(fc.nat(99)),
  content_hash: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  properties: fc.dictionary(anyText, fc.jsonValue()).map((value) => JSON.stringify(value)),
  context: fc.dictionary(anyText, fc.jsonValue()).map((value) => JSON.stringify(value)),
});
const item = fc.record({
  requestId: anyText,
  index: fc.option(fc.nat(99)),
  eventType: fc.option(anyText),
  clientEventId: fc.option(anyText),
  trust: fc.option(fc.constantFrom(...TRUST_CLASSES)),
  code: fc.constantFrom(...ERROR_CODES),
  field: fc.option(anyText),
  rule: fc.option(anyText),
  status: fc.option(fc.nat(599)),
});
const refusals = fc.record({
  failed: fc.array(
    fc.record({ code: fc.constantFrom(...ERROR_CODES), field: fc.option(anyText), count: fc.nat() }),
  ),
  requests: fc.array(fc.record({ status: fc.nat(599), count: fc.nat() })),
  items: fc.array(item, { maxLength: 3 }),
});
const request = fc.record({
  siteId: fc.uuid(),
  requestId: anyText,
  trust: fc.constantFrom(...TRUST_CLASSES),
  refusals,
  events: fc.array(event, { maxLength: 5 }),
});
const encode = (value: typeof request extends fc.Arbitrary<infer T> ? T : never): string =>
  encodeTrackEvent({
    ...value,
    events: value.events.map(({ properties, context, index, ...columns }) => ({
      columns: encodeEventColumns(columns),
      properties,
      context,
      index,
    })),
  });

describe('the request of track-event', () => {
  it('comes back as it went', () => {
    fc.assert(
      fc.property(request, (value) => expect(decodeTrackEvent(encode(value))).toEqual({ ok: true, value })),
    );
  });

  it('a batch has a short context once for all events in a row that have it', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 5 }), fc.nat(2_500), (events, length) => {
        const context = JSON.stringify({ page_title: 'x'.repeat(length) });
        const value = {
          siteId: 's',
          requestId: 'r',
          trust: 'browser' as const,
          refusals: { failed: [], requests: [], items: [] },
          events: events.map((one) => ({ ...one, context })),
        };
        const message = encode(value);
        expect(decodeTrackEvent(message)).toEqual({ ok: true, value });
        expect(message.split(context)).toHaveLength(1 + (context.length <= 2_048 ? 1 : events.length));
      }),
    );
  });

  it('a request of track-event that is cut, changed or foreign makes no reader throw', () => {
    const damaged = fc.tuple(request, fc.nat(), fc.nat(30), fc.string()).map(([value, at, drop, put]) => {
      const message = encode(value);
      const cut = at % (message.length + 1);
      return message.slice(0, cut) + put + message.slice(cut + drop);
    });
    fc.assert(
      fc.property(fc.oneof(fc.string(), damaged), (message) => {
        const decoded = decodeTrackEvent(message);
        expect(decoded.ok ? typeof decoded.value.siteId : decoded.error.length > 0).toBe(
          decoded.ok ? 'string' : true,
        );
      }),
    );
  });

  it.each([
    ['', 'line 1 is not a JSON array'],
    ['{}', 'line 1 is not a JSON array'],
    ['[1,"r","server",0]', 'line 1 lacks its ids'],
    ['["s","r","owner",0]', 'line 1 lacks a trust class'],
    ['["s","r","server",1]', 'line 1 lacks what was refused'],
    ['["s","r","server"]', 'line 1 lacks what was refused'],
    ['["s","r","server",[[["NO_SUCH_CODE",null,1]],[],[]]]', 'line 1 lacks what was refused'],
    ['["s","r","server",[[["FORBIDDEN",null,-1]],[],[]]]', 'line 1 lacks what was refused'],
    ['["s","r","server",[[],[[413]],[]]]', 'line 1 lacks what was refused'],
    ['["s","r","server",[[],[],[["r",null]]]]', 'line 1 lacks what was refused'],
    ['["s","r","server",0]\n["e"]\n{}\n{}', 'line 1 lacks the places of the events'],
    ['["s","r","server",0,[-1]]\n["e"]\n{}\n{}', 'line 1 lacks the places of the events'],
    ['["s","r","server",0]\n[]\n{}', 'a request has one line and three per event'],
    [
      '["s","r","server",0,0]\n["e","t","s",null,null,null,"o",1,"1"]\n{}\n',
      'line 2 does not hold the columns of an event',
    ],
    ['["s","r","server",0,1]\n["e"]\n{}\n{}', 'line 2 does not hold the columns of an event'],
    [
      '["s","r","server",0,0]\n["e","t","s",null,null,null,"o",2,"1"]\n{}\n{}',
      'line 2 does not hold the columns of an event',
    ],
  ])('refuses %j', (message, error) => expect(decodeTrackEvent(message)).toEqual({ ok: false, error }));
});

describe('the reply of track-event', () => {
  const verdicts = fc.array(
    fc.record({ verdict: fc.constantFrom('stored' as const, 'duplicate' as const), receivedAt: anyText }),
  );

  it('comes back as it went, to as many events as were asked for', () => {
    fc.assert(
      fc.property(verdicts, (value) => {
        const reply = JSON.parse(encodeTrackEventReply(value)) as { readonly ok: unknown };
        expect(parseTrackEventReply(reply.ok, value.length)).toEqual({ ok: true, value });
        expect(parseTrackEventReply(reply.ok, value.length + 1).ok).toBe(false);
      }),
    );
  });

  it('events in a row that have the same outcome are one item', () => {
    const [stored, again] = [
      { verdict: 'stored' as const, receivedAt: 't' },
      { verdict: 'duplicate' as const, receivedAt: 't' },
    ];
    expect(encodeTrackEventReply([stored, { ...stored }, again, stored])).toBe(
      '{"ok":[[0,"t",2],[1,"t",1],[0,"t",1]]}',
    );
  });

  it.each([
    [[[3, 't', 1]]],
    [[[0, 't']]],
    [[[0, 1, 1]]],
    [[[0, 't', 2]]],
    [[[0, 't', '1']]],
    [[[0, 't', 1e9]]],
    [[[0, 't', 0.5]]],
    [[[0, 't', 0]]],
    [[[0]]],
    [['0']],
    [{ length: 1 }],
    [null],
  ])('refuses %j', (ok) => {
    expect(parseTrackEventReply(ok, 1).ok).toBe(false);
  });
});
