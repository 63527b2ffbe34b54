import { describe, expect, it } from '@jest/globals';
import { anyCharacter } from '@truetally/kernel/testing';
import fc from 'fast-check';
import pg from 'pg';
import { ARRAY_PARSERS } from './array-parser.js';
import { arrayLiteral } from './array-literal.js';

const TEXT_ARRAY = 1_009;
const FLOAT_ARRAY = 1_022;
const TO_BE_QUOTED = /["\\{},\s]|^$|^null$/i;

/** As Postgres writes an array: quotes only where they are needed. */
function written(values: readonly (string | null)[]): string {
  const each = values.map((value) => {
    if (value === null) return 'NULL';
    return TO_BE_QUOTED.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
  });
  return `{${each.join(',')}}`;
}

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', 'a', 'é', 'NULL') }),
);

describe('an array that the driver reads', () => {
  it('an array of texts is parsed to what was written, quoted or not', () => {
    const parse = ARRAY_PARSERS.get(TEXT_ARRAY);
    fc.assert(
      fc.property(fc.array(fc.option(text)), (values) => {
        expect(parse?.(written(values))).toEqual(values);
        expect(parse?.(arrayLiteral(values))).toEqual(values);
      }),
    );
  });

  it('every array is parsed as by the driver itself, also one of several dimensions', () => {
    for (const [type, parse] of ARRAY_PARSERS) {
      const literals =
        type === FLOAT_ARRAY
          ? ['{}', '{1.5,NULL,-Infinity,1e-07}', '{{1,2},{3,4}}', '[0:1]={1,2}']
          : ['{}', '{1,NULL,3}', '{{1,2},{3,4}}', '[0:1]={1,2}'];
      const expected = literals.map(pg.types.getTypeParser(type));
      expect(literals.map(parse)).toEqual(expected);
    }
  });

  it('an element without its end is refused', () => {
    expect(() => ARRAY_PARSERS.get(TEXT_ARRAY)?.('{"a\\"}')).toThrow('ends within an element');
  });
});
