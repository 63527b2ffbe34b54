import { describe, expect, it } from '@jest/globals';
import { decodeStoreEvents, encodeStoreEvents, EVENT_TYPES } from '@truetally/contracts';
import { isStorableText, readJson } from '@truetally/kernel';
import fc from 'fast-check';
import { BASE_EVENT, eventText, goldenCases } from './golden.fixture.js';
import { type PreparedEvent, prepareEvent } from './prepare-event.js';

const NOW_MS = Date.parse('2026-06-15T12:00:00.000Z');
const RANDOM_ID = 'b2c0ffee-0000-4000-8000-000000000000';

function prepareText(text: string) {
  const reading = readJson(text);
  if (!reading.ok) throw new Error(reading.error.message);
  return prepareEvent({
    event: reading.value.value,
    siteId: 'site-1',
    nowMs: NOW_MS,
    randomId: () => RANDOM_ID,
  });
}
const prepare = (event: unknown) => prepareText(JSON.stringify(event));

/** As ingestion will see it. */
function received(prepared: PreparedEvent) {
  const message = encodeStoreEvents({
    siteId: 'site-1',
    requestId: 'r',
    trust: 'browser',
    failed: 0,
    events: [prepared],
  });
  const decoded = decodeStoreEvents(message);
  const event = decoded.ok ? decoded.value.events[0] : undefined;
  if (event === undefined) throw new Error('The wire does not hold the event.');
  return event;
}
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
  ])('when it is no object but %s', (text, shape) => {
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

  it.each(['x', 'é', '\u20ac', '\u0001'])('may be 64 KiB as compact JSON and not more, in %j', (note) => {
    const bytesEach = Buffer.byteLength(JSON.stringify(note)) - 2;
    const most = Math.floor((65_536 - bytesBeside) / bytesEach);
    expect(prepare(withContext(most, note)).ok).toBe(true);
    expect(prepare(withContext(most + 1, note))).toEqual({
      ok: false,
      error: { body: ['must be at most 65536 bytes as JSON'] },
    });
  });

  it('is measured without the white space that a client put between', () => {
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

  it('does not take a number that no double holds for an amount', () => {
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

  it('has one content hash for the same content, whenever it is received, and another for other content', () => {
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

describe('nothing that JSON can say', () => {
  const anyText = fc.string({
    unit: fc.oneof(fc.constantFrom('\0', '\ud800', '\udfff', '\u{1f600}', 'a'), fc.string()),
  });
  const anyName = fc.oneof(
    anyText,
    fc.constantFrom('__proto__', 'constructor', 'prototype', 'trust', 'toJSON'),
  );
  const { anyJson } = fc.letrec<{ anyJson: unknown }>((tie) => ({
    anyJson: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      anyText,
      fc.constantFrom(null, true, 0, -1, 1.5),
      fc.constantFrom('1e400', '9007199254740993', '-1E+2').map((number) => JSON.rawJSON(number)),
      fc.array(tie('anyJson'), { maxLength: 4 }),
      fc.array(fc.tuple(anyName, tie('anyJson')), { maxLength: 4 }).map(Object.fromEntries),
    ),
  }));
  const fields = [
    'event_type',
    'session_id',
    'user_id',
    'device_id',
    'client_event_id',
    'occurred_at',
    'other',
  ];
  const contextFields = ['page_url', 'user_agent', 'screen', 'page_title', 'other'];
  const anyEvent = fc
    .tuple(
      fc.constantFrom(...EVENT_TYPES),
      fc.dictionary(anyName, anyJson),
      fc.dictionary(anyName, anyJson, { maxKeys: 3 }),
      fc.option(fc.tuple(fc.constantFrom(...fields, 'context', 'properties'), anyJson)),
      fc.option(fc.tuple(fc.constantFrom(...contextFields), anyJson)),
    )
    .map(([event_type, properties, extra, field, contextField]) => {
      const required = {
        product_id: 'p',
        query: 'q',
        event_name: 'e',
        message: 'm',
        recommendation_id: 'r',
        campaign_id: 'c',
        overlay_id: 'o',
        quiz_id: 'z',
        question_id: 'q',
        answer_id: 'a',
        result_id: 'r',
        order_id: 'o',
        total: 1,
        provider: 'awin',
        click_reference: 'r',
        destination_url: 'https://partner.example/?a',
      };
      const context = {
        ...BASE_EVENT.context,
        ...extra,
        ...(contextField && { [contextField[0]]: contextField[1] }),
      };
      return {
        ...BASE_EVENT,
        event_type,
        properties: { ...required, ...properties },
        context,
        ...(field && { [field[0]]: field[1] }),
      };
    });

  it('makes it throw; what it lets through, Postgres and JSON can hold', () => {
    let stored = 0;
    fc.assert(
      fc.property(
        fc.oneof({ weight: 9, arbitrary: anyEvent }, { weight: 1, arbitrary: anyJson }),
        (value) => {
          const prepared = prepareText(JSON.stringify(value));
          if (!prepared.ok) {
            expect(Object.keys(prepared.error).length).toBeGreaterThan(0);
            return;
          }
          stored += 1;
          const event = received(prepared.value);
          for (const text of [event.properties, event.context]) {
            expect(text).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/);
            expect(text).not.toContain('\n');
            expectClean(JSON.parse(text));
          }
        },
      ),
      { numRuns: 2000 },
    );
    expect(stored).toBeGreaterThan(100);
  });
});

function expectClean(value: unknown): void {
  if (typeof value === 'string') expect(isStorableText(value)).toBe(true);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    expect(isStorableText(name)).toBe(true);
    expect(['__proto__', 'constructor', 'prototype', 'trust', 'trust_class', 'trust_level']).not.toContain(
      name,
    );
    expectClean(member);
  }
}
