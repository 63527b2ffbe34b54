import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nestsDeeperThan } from './storable-text.js';
import { JsonCut, type JsonReading, readJson } from './index.js';
import { anyCharacter } from './testing/any-text.js';

const MEMBERS = ['properties', 'context'];
const NESTING = 3;
const OF_WHOLE = new JsonCut({ members: MEMBERS, nesting: NESTING });
const OF_LIST = new JsonCut({ members: MEMBERS, list: 'events', nesting: NESTING });
const OF_REPEATS = new JsonCut({ members: MEMBERS, list: 'events', nesting: NESTING, repeated: 'context' });

const readingOf = (text: string, cut: JsonCut): JsonReading => {
  const reading = readJson(text, cut);
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.value;
};
const LONG = `{"page_title":"${'a'.repeat(99)}"}`;
const textsOf = (text: string): unknown => readingOf(text, OF_WHOLE).texts?.[0];

/** JSON of any form: names in any order and twice, numbers in any notation, blanks anywhere. */
const name = fc.constantFrom(
  'properties',
  'context',
  'events',
  'a',
  '',
  '10',
  '2',
  '__proto__',
  'toJSON',
  'ü',
  'a b',
);
const number = fc.constantFrom(
  '0',
  '-0',
  '1',
  '-1.5',
  '0.1',
  '1.0',
  '0.000001',
  '0.0000001',
  '1e3',
  '1E400',
  '123456789012345',
  '1234567890123456',
  '0.1234567',
  '-0.5',
);
const string = fc.oneof(
  fc.string({ unit: anyCharacter }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '"\\u0041"',
    '"\\/"',
    '"\u2028"',
    '"\ud800"',
    '"{[\\""',
    '"a:b,c"',
    `"${'long '.repeat(9)}"`,
  ),
);
const blank = fc.constantFrom('', '', '', '', '', ' ', '\n');
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.oneof(number, string, fc.constantFrom('null', 'true', 'false')),
    fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(name, blank, tie('json')), { maxLength: 4 })
      .map(
        (members) =>
          `{${members.map(([one, gap, value]) => `${JSON.stringify(one)}:${gap}${value}`).join(',')}}`,
      ),
  ),
}));
/** Items with one object as their context, in any place, and now and then null instead. */
const repeating = fc
  .tuple(json, fc.array(fc.tuple(json, fc.nat(9)), { minLength: 1, maxLength: 6 }), blank)
  .map(([context, items, gap]) => {
    const one = `{"a":${context}}`;
    const forms = [`"properties":{"context":${one}}`, `"context":null`, `"context":${gap}${one}`];
    const written = items.map(([item, form]) => `{"b":${item},${forms[form] ?? `"context":${one}`}}`);
    return `{"events":[${written.join(',')}]}`;
  });
const whole = fc.oneof(
  json,
  fc.array(json, { maxLength: 3 }).map((items) => `{"a":1,"events":[${items.join(',')}]}`),
  repeating,
);

describe('texts that are cut from JSON', () => {
  it('a text is read with the same value and the same fault, whether its form lets it be cut or not', () => {
    fc.assert(
      fc.property(whole, fc.constantFrom(OF_WHOLE, OF_LIST, OF_REPEATS, undefined), (text, cut) => {
        // A blank before it makes it another form.
        const slow = readJson(` ${text}`);
        const fast = readJson(text, cut);
        expect(fast.ok ? JSON.stringify(fast.value.value) : fast.error).toEqual(
          slow.ok ? JSON.stringify(slow.value.value) : slow.error,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('what is cut is what JSON.stringify writes of the member, and nests no deeper than it may', () => {
    fc.assert(
      fc.property(whole, fc.constantFrom(OF_WHOLE, OF_LIST, OF_REPEATS), (text, cut) => {
        const reading = readJson(text, cut);
        if (!reading.ok) return;
        const { value, texts = [] } = reading.value;
        const list: unknown = Object(value)['events'];
        const items: unknown = cut === OF_WHOLE ? [value] : list;
        if (!Array.isArray(items)) return expect(texts).toEqual([]);
        texts.forEach((cuts, place) => {
          for (const [member, cutText] of Object.entries(cuts ?? {})) {
            const found: unknown = Object(items[place])[member];
            expect(cutText).toBe(JSON.stringify(found));
            expect(nestsDeeperThan(found, NESTING)).toBe(false);
          }
        });
      }),
      { numRuns: 2_000 },
    );
  });

  it('a text as JSON.stringify writes it is cut, whatever is in its strings', () => {
    const text = JSON.stringify({
      id: 'ü \u00ff {["',
      properties: { price: 79.9, small: 0.000001, none: null, is: [true, false, -1.5], long: 'a'.repeat(40) },
      context: {},
    }).replace('\\"', '');
    expect(textsOf(text)).toEqual({
      properties: expect.stringMatching(/^\{"price":79\.9,.*\}$/),
      context: '{}',
    });
  });

  it('the items of a list are cut by their places, also where others have nothing to cut', () => {
    const text =
      '{"context":{},"events":[{"context":{"a":1}},5,{"properties":[1]},{"properties":{}}],"more":[{"context":{}}]}';
    expect(readingOf(text, OF_LIST).texts).toEqual([
      { context: '{"a":1}' },
      undefined,
      { properties: '[1]' },
      { properties: '{}' },
    ]);
  });

  it('an object that items of a list repeat is read once, and is the text of each', () => {
    const context = JSON.stringify({ page_title: 'Jumper', screen: { width: 1 } });
    const other = '{"page_title":"Basket"}';
    const events = [context, context, other, context].map((one, id) => `{"id":${id},"context":${one}}`);
    const { value, texts } = readingOf(`{"events":[${events.join(',')}]}`, OF_REPEATS);
    const [first, second, third, fourth] = (value as { events: { context: object }[] }).events;
    expect(second?.context).toBe(first?.context);
    expect(fourth?.context).toBe(first?.context);
    expect(third?.context).toEqual({ page_title: 'Basket' });
    expect(texts).toEqual([{ context }, { context }, { context: other }, { context }]);
  });

  it.each([
    ['in another member', `{"properties":{"context":${LONG}}},{"context":null}`],
    ['in another member alone', `{"properties":{"context":${LONG}}}`],
    ['beside the list', `{"context":${LONG}}],"context":${LONG},"more":[{"context":null}`],
    ['under its name twice', `{"context":${LONG},"context":${LONG}}`],
  ])('a repetition that is no item’s own is read where it is: %s', (_name, written) => {
    const text = `{"events":[{"context":${LONG}},${written}]}`;
    const [fast, slow] = [readJson(text, OF_REPEATS), readJson(` ${text}`)];
    expect(fast.ok ? fast.value.value : fast).toEqual(slow.ok ? slow.value.value : slow);
  });

  it.each([
    ['a blank', '{"properties": {}}'],
    ['an escape', '{"a":"\\u0041","properties":{}}'],
    ['a number that JSON.stringify writes otherwise', '{"a":1.0,"properties":{}}'],
    ['a long number', '{"a":1234567890123456,"properties":{}}'],
    ['an exponent', '{"properties":{"a":1e3}}'],
    ['minus nothing', '{"properties":{"a":-0}}'],
    ['a name that is a number', '{"properties":{"b":1,"10":2}}'],
    ['a character beyond Latin-1', '{"a":"語","properties":{}}'],
    ['half a character', '{"a":"\ud800","properties":{}}'],
  ])('a text of another form is not cut: %s', (_name, text) => {
    expect(textsOf(text)).toBeUndefined();
  });

  it('a member that is no object, or nests too deep, is not cut', () => {
    expect(textsOf('{"properties":"text","context":{"a":[[1]]}}')).toEqual({ context: '{"a":[[1]]}' });
    expect(textsOf('{"properties":null,"context":{"a":[[[1]]]}}')).toBeUndefined();
  });
});
