import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonRows } from './json-rows.js';

/** The rows of a text that comes in pieces of so many characters, or the first fault. */
function rowsOf(text: string, length: number): readonly string[] | string {
  const body = new JsonRows();
  const rows: string[] = [];
  for (let at = 0; at < text.length; at += length) {
    const pushed = body.push(text.slice(at, at + length));
    if (typeof pushed === 'string') return pushed;
    rows.push(...pushed);
  }
  return body.isWhole() ? rows : 'incomplete';
}

it('the rows of any list are its items, wherever the text is cut', () => {
  const lists = fc.array(fc.jsonValue({ depthSize: 'small' }), { maxLength: 20 });
  fc.assert(
    fc.property(lists, fc.constantFrom(0, 1, 2), fc.integer({ min: 1, max: 50 }), (items, indent, length) => {
      const text = JSON.stringify({ rows: items }, undefined, indent);
      const rows = rowsOf(text, length);
      expect(typeof rows === 'string' ? rows : rows.map((row) => JSON.parse(row) as unknown)).toEqual(
        JSON.parse(JSON.stringify(items)),
      );
      expect(rowsOf(text, text.length)).toEqual(rows);
    }),
    { numRuns: 200 },
  );
});

it.each([
  ['a row that is longer than any', `{"rows":["${'x'.repeat(65_536)}"]}`, 'too-long'],
  ['a list that ends twice', '{"rows":[1]]}', 'syntax'],
  ['a row that closes what it has not opened', '{"rows":[1},2]}', 'syntax'],
  ['another member', '{"rows":[1],"more":2}', 'unknown-member'],
  ['another member before the rows', '{"more":2,"rows":[1]}', 'unknown-member'],
  ['a list that is named twice', '{"rows":[1],"rows":[2]}', 'duplicate-member'],
  ['a comma behind which nothing is', '{"rows":[1],}', 'syntax'],
  ['an object without members', ' { } ', 'no-rows'],
  ['a list without an object', '[{"rows":[1]}]', 'no-object'],
  ['a value that is no object', 'null', 'no-object'],
  ['rows that are null', '{"rows":null}', 'no-list'],
  ['rows that are an object', '{"rows": {"0":1}}', 'no-list'],
  ['what is no JSON', 'rows', 'syntax'],
  ['what is no JSON in place of rows', '{"rows":rows}', 'syntax'],
  ['a body that breaks off in a text', '{"rows":["\\"]}', 'incomplete'],
])('%s is told, wherever the text is cut', (_what, text, fault) => {
  for (const length of [1, 7, 70_000]) expect(rowsOf(text, length)).toBe(fault);
});
