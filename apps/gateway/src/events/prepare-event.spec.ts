import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '@truetally/contracts/events';
import fc from 'fast-check';
import { BASE_EVENT, eventText, goldenCases } from '../testing/golden-events.js';
import { prepare, prepareText, received } from '../testing/prepare-event.js';

function accepted(event: unknown) {
  const prepared = prepare(event);
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.error));
  return received(prepared.value);
}

describe('an event is accepted', () => {
  it.each(goldenCases('ok'))('%s', (_name, golden) => {
    const prepared = prepareText(eventText(golden));
    expect(prepared).toMatchObject({ ok: true });
    if (!prepared.ok) return;
    const event = received(prepared.value);
    const properties: unknown = JSON.parse(event.properties);
    const context: unknown = JSON.parse(event.context);
    const { stored } = golden;
    if (stored?.properties !== undefined)
      expect(JSON.stringify(properties)).toBe(JSON.stringify(stored.properties));
    if (stored?.context !== undefined) expect(context).toMatchObject(stored.context);
    for (const name of stored?.absentFromContext ?? [])
      expect(Object.keys(Object(context))).not.toContain(name);
    if (stored?.occurred_at !== undefined) expect(event.occurred_at).toBe(stored.occurred_at);
    if (golden.event?.['event_type'] !== 'partner_link_click' && stored === undefined) {
      expect(properties).toEqual(golden.event?.['properties'] ?? {});
    }
  });
});

describe('an event is refused', () => {
  it.each(goldenCases('not-ok'))('%s', (_name, golden) => {
    expect(prepareText(eventText(golden))).toEqual({ ok: false, error: golden.details });
  });

  it.each([
    ['null', 'null'],
    ['[]', 'an empty array'],
    ['"x"', '1 character'],
    ['5', 'a number'],
    ['1e400', 'a number out of range'],
    ['true', 'a boolean'],
  ])('an event is refused when it is no object but %s', (text, shape) => {
    expect(prepareText(text)).toEqual({ ok: false, error: { body: [`must be an object; got ${shape}`] } });
  });
});

describe('the golden files', () => {
  it('show every event type both ways', () => {
    for (const kind of ['ok', 'not-ok'] as const) {
      const files = new Set(goldenCases(kind).map(([name]) => name.split(':')[0]?.replaceAll('-', '_')));
      expect(EVENT_TYPES.filter((type) => !files.has(type))).toEqual([]);
    }
  });
});

describe('the whole event', () => {
  const withContext = (length: number, note: string) => ({
    ...BASE_EVENT,
    properties: { a: 'x'.repeat(32_000) },
    context: { ...BASE_EVENT.context, note: note.repeat(length) },
  });
  const bytesBeside = Buffer.byteLength(JSON.stringify(withContext(0, '')));

  it.each(['x', 'é', '\u20ac', '\u0001'])(
    'an event may be 64 KiB as compact JSON and not more, in %j',
    (note) => {
      const bytesEach = Buffer.byteLength(JSON.stringify(note)) - 2;
      const most = Math.floor((65_536 - bytesBeside) / bytesEach);
      expect(prepare(withContext(most, note)).ok).toBe(true);
      expect(prepare(withContext(most + 1, note))).toEqual({
        ok: false,
        error: { body: ['must be at most 65536 bytes as JSON'] },
      });
    },
  );

  it('the size of an event is measured without the white space that a client put between', () => {
    expect(
      prepareText(JSON.stringify(BASE_EVENT, null, ' '.repeat(10)).replaceAll('\n', '\n'.repeat(9000))).ok,
    ).toBe(true);
  });

  it('keeps every digit of its numbers', () => {
    const text = JSON.stringify({ ...BASE_EVENT, properties: { n: 0 } }).replace(
      '"n":0',
      '"n":[9007199254740993,1e400,0.1000000000000000055,-0.0]',
    );
    const prepared = prepareText(text);
    expect(prepared.ok && prepared.value.properties).toBe(
      '{"n":[9007199254740993,1e400,0.1000000000000000055,0]}',
    );
  });

  it('names a number that Postgres could not compute with, beside every other broken rule', () => {
    const text = JSON.stringify({
      ...BASE_EVENT,
      event_type: 'search',
      properties: { deep: [[[[[[[[0]]]]]]]] },
    });
    const tooLong =
      'must not hold a number of more than 131072 digits before the decimal point or 16383 after it';
    expect(prepareText(text.replace('0]', '1e999999]'))).toEqual({
      ok: false,
      error: {
        properties: ['must not nest deeper than 8 levels', tooLong],
        'properties.query': ['must be a non-empty string of at most 4096 characters; got nothing'],
      },
    });
    const inContext = JSON.stringify({ ...BASE_EVENT, context: { ...BASE_EVENT.context, n: 0 } });
    expect(prepareText(inContext.replace('"n":0', '"n":1e-16384'))).toEqual({
      ok: false,
      error: { context: [tooLong] },
    });
  });

  it('an event does not take a number that no double holds for an amount', () => {
    const text = JSON.stringify({
      ...BASE_EVENT,
      event_type: 'purchase',
      properties: { order_id: 'o', total: 0 },
    });
    expect(prepareText(text.replace('"total":0', '"total":1e400'))).toEqual({
      ok: false,
      error: { 'properties.total': ['must be a number of at least 0; got a number out of range'] },
    });
    expect(prepareText(text.replace('"total":0', '"total":12345678901234567.89')).ok).toBe(true);
    expect(prepareText(text.replace('"total":0', '"total":-1e3'))).toMatchObject({ ok: false });
  });

  it('carries the columns that ingestion stores', () => {
    expect(
      accepted({
        ...BASE_EVENT,
        user_id: 'u',
        client_event_id: 'c',
        occurred_at: '2026-01-31T10:30:00+01:00',
      }),
    ).toEqual({
      index: null,
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event_type: 'page_view',
      session_id: 'session-1',
      user_id: 'u',
      device_id: null,
      client_event_id: 'c',
      occurred_at: '2026-01-31T09:30:00.000Z',
      is_bot: false,
      content_hash: expect.stringMatching(/^-?\d{1,19}$/),
      properties: '{}',
      context: JSON.stringify(BASE_EVENT.context),
    });
  });

  it('an event has one content hash for one content, whenever received, and another for any other', () => {
    const anyEvent = fc.record({
      properties: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
      user_id: fc.string({ minLength: 1 }),
    });
    const hashOf = (change: object): string => accepted({ ...BASE_EVENT, ...change }).content_hash;
    fc.assert(
      fc.property(anyEvent, (change) => {
        expect(hashOf(change)).toBe(hashOf(change));
        expect(hashOf({ ...change, user_id: `${change.user_id}x` })).not.toBe(hashOf(change));
        expect(hashOf({ ...change, properties: { only: 'this' } })).not.toBe(hashOf(change));
        expect(BigInt.asIntN(64, BigInt(hashOf(change)))).toBe(BigInt(hashOf(change)));
      }),
    );
  });
});
