import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import { csvRow } from '@truetally/contracts/tables';

const read = (text: string): readonly string[] =>
  (parse(text, { relaxQuotes: false, skipEmptyLines: false }) as string[][])[0] ?? [];

describe('csvRow', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30 1', "'+49 30 1"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['＝1', "'＝1"],
  ])('a cell with %j is text for a spreadsheet', (value, written) => {
    expect(csvRow([value])).toBe(`${written}\r\n`);
  });

  it.each([
    ['a;=1+1', "a;'=1+1"],
    ['a;-2', "a;'-2"],
    ['a;"@SUM(A1)"', `"a;""'@SUM(A1)"""`],
    ['a\n=1+1', `"a\n'=1+1"`],
    ['a\n- b\n+49 30', '"a\n- b\n+49 30"'],
    ["a\n+1+cmd|' /C x'!A0;", `"a\n'+1+cmd|' /C x'!A0;"`],
    ['a\n- 1+SUM(A1)', `"a\n'- 1+SUM(A1)"`],
    ['a\n+1&', `"a\n'+1&"`],
    ["a\n+1\t&cmd|' /C x'!A0", `"a\n'+1\t&cmd|' /C x'!A0"`],
    ['a\n-\n+4', '"a\n-\n+4"'],
    ['a; =b', 'a; =b'],
  ])('a cell with %j is text for a spreadsheet that splits at semicolons, too', (value, written) => {
    expect(csvRow([value])).toBe(`${written}\r\n`);
  });

  it.each(['-12.50', '7', '2026-01-31', "'=quoted", ''])('a cell with %j is written as it is', (value) => {
    expect(csvRow([value])).toBe(`${value}\r\n`);
  });

  it('a cell that is no text is JSON, and null is empty', () => {
    expect(csvRow([null, undefined, -5, true, { a: 1 }, ['x']])).toBe(',,-5,true,"{""a"":1}","[""x""]"\r\n');
  });

  it('any row is read back by a CSV parser cell for cell, and none of its cells begins a formula', () => {
    const cell = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('=', '+', '-', '@', '"', ',', '\r\n', 'a;=1', 'a\n@b', ';"=1"'),
    );
    const plain = (text: string): string => text.replaceAll(/(^|[;\t\r\n]"*)'+/g, '$1');
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 6 }), (cells) => {
        const found = read(csvRow(cells));
        expect(found.map(plain)).toEqual(cells.map(plain));
        for (const text of found) expect(/^[=+@\t\r]|;"*[=+\-@]|[\r\n]"*[=@]/.test(text)).toBe(false);
      }),
    );
  });
});
