import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RowSplitter } from './row-splitter.js';

const PATH = ['data', 'commissions', 'records'];

/** What is split of a text that arrives in pieces of these lengths. */
function split(path: readonly string[], text: string, lengths: readonly number[] = []) {
  const splitter = new RowSplitter(path);
  const rows: string[] = [];
  let from = 0;
  for (const length of [...lengths, text.length]) {
    rows.push(...splitter.push(text.slice(from, from + length)));
    from += length;
  }
  return { rows, rest: splitter.rest(), fault: splitter.fault };
}

const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 });
const lengths = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
const spaces = fc.constantFrom(0, 1, 2);

describe('the rows of an answer', () => {
  it('the rows of an answer are its objects, wherever the text is cut, and the rest has none of them', () => {
    fc.assert(
      fc.property(fc.array(object), object, lengths, spaces, (rows, others, cuts, indent) => {
        const around = {
          ...others,
          data: { before: [{ records: [1] }], commissions: { records: rows, count: '"]' } },
        };
        const nested = split(PATH, JSON.stringify(around, null, indent), cuts);
        expect(nested.fault).toBeUndefined();
        expect(nested.rows.map((row) => JSON.parse(row) as unknown)).toEqual(
          JSON.parse(JSON.stringify(rows)),
        );
        const emptied = { ...around, data: { ...around.data, commissions: { records: [], count: '"]' } } };
        expect(JSON.parse(nested.rest)).toEqual(JSON.parse(JSON.stringify(emptied)));
        const plain = split([], JSON.stringify(rows, null, indent), cuts);
        expect(plain.rows.map((row) => JSON.parse(row) as unknown)).toEqual(JSON.parse(JSON.stringify(rows)));
        expect(plain.rest).toBe('[]');
      }),
    );
  });

  it.each(['[1.5,1.5', '[[],[]]', '[{},,{}]', '[,{}]', '[{},]', '["{}"]', '[{} {}]', '[null]'])(
    'the rows of an answer are refused at the first character that no row begins with: %s',
    (text) => {
      expect(split([], text)).toMatchObject({ fault: 'foreign', rows: [] });
    },
  );

  it('the rows of an answer are refused if one, or the text around, is longer than networks write', () => {
    const long = 'x'.repeat(70_000);
    expect(split([], `[{"a":"${long}"}]`).fault).toBe('foreign');
    expect(split([], `{"a":"${long}"}`).fault).toBe('foreign');
  });

  it('an answer that has no such array has no rows, and stays as it is', () => {
    for (const text of ['{"error":"no"}', '{"data":[{"records":[]}]}', '{"records":[{}]}', '"text"']) {
      expect(split(PATH, text)).toEqual({ rows: [], rest: text, fault: undefined });
    }
  });
});
