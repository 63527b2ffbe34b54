import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '@truetally/contracts/events';
import { isStorableText, JsonCut } from '@truetally/kernel';
import fc from 'fast-check';
import { BASE_EVENT } from '../testing/golden-events.js';
import { prepareBatch, prepareText, received } from '../testing/prepare-event.js';

const NO_CUT = new JsonCut({ members: [], nesting: 0 });

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

  it('makes it throw; Postgres and JSON can store everything that it accepts', () => {
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
            expect(uncleanIn(JSON.parse(text))).toEqual([]);
          }
        },
      ),
      { numRuns: 2000 },
    );
    expect(stored).toBeGreaterThan(100);
  });

  it('an event is prepared alike whether its texts are cut from the body or written again, alone and in a batch', () => {
    // Also numbers and names that JSON.stringify would write otherwise, and texts near the bounds of depth and size.
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const part = fc.constantFrom(
      '{"a":1.0}',
      '{"a":1e3,"b":[-0]}',
      '{"b":1,"10":2}',
      '{"a": 1}',
      '{"trust":"backend","a":{"constructor":1}}',
      '{"a":"\\u0000\\ud800\\/"}',
      `{"a":"${'ü'.repeat(16_380)}"}`,
      `{"a":"${'x'.repeat(32_758)}"}`,
      `{"a":"${'x'.repeat(32_762)}"}`,
      ...[7, 8, 9].map(nested),
    );
    const written = fc.tuple(anyEvent, fc.option(part), fc.boolean()).map(([event, raw, isContext]) => {
      const text = JSON.stringify(event);
      if (raw === null) return text;
      const member = isContext ? /("context":\{)(.)/ : /("properties":\{)(.)/;
      return text.replace(member, (_all, before: string, next: string) => {
        const rest = next === '}' ? next : `,${next}`;
        return `${before}"more":${raw}${rest}`;
      });
    });
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 4 }), (texts) => {
        const uncut = texts.map((text) => prepareText(text, NO_CUT));
        expect(texts.map((text) => prepareText(text))).toEqual(uncut);
        const inBatch = prepareBatch(`{"events":[${texts.join(',')}]}`);
        expect(inBatch).toEqual(uncut);
      }),
      { numRuns: 1_000 },
    );
  });
});

const REFUSED_NAMES = ['__proto__', 'constructor', 'prototype', 'trust', 'trust_class', 'trust_level'];

/** Texts and names, at any depth, that nobody may store. */
function uncleanIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return isStorableText(value) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(isStorableText(name) && !REFUSED_NAMES.includes(name) ? [] : [name]),
    ...uncleanIn(member),
  ]);
}
