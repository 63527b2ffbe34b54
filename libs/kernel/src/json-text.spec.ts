import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { holdsMoreObjectsThan } from './json-characters.js';
import { findSyntaxError } from './json-syntax.js';
import {
  isRawNumber,
  JSON_NESTING_LIMIT,
  type JsonFault,
  numberOf,
  parseOwnJson,
  readJson,
} from './index.js';
import { anyCharacter } from './testing/any-text.js';

const valueOf = (text: string): unknown => {
  const reading = readJson(text);
  if (!reading.ok) throw new Error(reading.error.message);
  return reading.value.value;
};
const faultOf = (text: string): JsonFault | undefined => {
  const reading = readJson(text);
  return reading.ok ? undefined : reading.error;
};

describe('readJson', () => {
  it('accepts the same texts as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        expect(JSON.stringify(valueOf(spaced), null, indent)).toBe(spaced);
      }),
    );
  });

  it('never throws', () => {
    const almostJson = fc.tuple(fc.json(), fc.nat(), fc.string()).map(([text, at, noise]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + noise + text.slice(cut);
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), almostJson), (text) => void readJson(text)),
    );
  });

  it.each([
    ['{"secret":tru}', 'is not valid JSON at position 10'],
    ['{"a":"b\nc"}', 'is not valid JSON at position 5'],
    ['{"a":"\\x"}', 'is not valid JSON at position 5'],
    ['{"a":01}', 'is not valid JSON at position 5'],
    ['{a:1}', 'is not valid JSON at position 1'],
    ['[1]]', 'is not valid JSON at position 3'],
    ['\ufeff{}', 'is not valid JSON at position 0'],
    ['{"a":1,}', 'is not valid JSON at position 7'],
    ['[1,2', 'is not valid JSON at position 4'],
    ['secret', 'is not valid JSON at position 0'],
    [' \n', 'is empty where JSON is expected'],
    ['', 'is empty where JSON is expected'],
  ])('reports the position of the error in %p, and never its content', (text, message) => {
    expect(faultOf(text)?.message).toBe(message);
  });

  it('finds a place in every text that JSON.parse refuses, and in no other', () => {
    const noise = fc.constantFrom(
      '"',
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '0',
      '-',
      '.',
      'e',
      'true',
      ' ',
      '\\',
      '\n',
      '',
    );
    const changed = fc.tuple(fc.json(), fc.nat(), fc.nat({ max: 2 }), noise).map(([text, at, drop, put]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + put + text.slice(cut + drop);
    });
    fc.assert(
      fc.property(changed, (text) => expect(findSyntaxError(text) === undefined).toBe(isJson(text))),
      { numRuns: 2000 },
    );
  });

  it('never quotes a broken text', () => {
    const broken = fc.string({ minLength: 1 }).map((noise) => `{"card":4111${noise}`);
    fc.assert(
      fc.property(broken, (text) => {
        expect(faultOf(text)?.message ?? 'is not valid JSON at position 0').toMatch(
          /^(is not valid JSON( at position \d+)|names the member .*)$/s,
        );
      }),
    );
  });
});

describe('a member named twice', () => {
  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a" :1,"a":1}', 'a'],
    ['{"a"\n\t:1,"b":":","a" : 1}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":{"b":[0,{"c":1,"d":{},"c":2}]}}', 'a.b.1.c'],
    ['{"events":[{},[],"x,y",{"a":"}","a":1}]}', 'events.3.a'],
    ['{"a":"\\"a\\":1","a":2}', 'a'],
  ])('a member named twice is found in %s', (text, path) => {
    expect(faultOf(text)).toEqual({
      kind: 'duplicate-member',
      message: `names the member ${path} twice`,
      path,
    });
  });

  it.each([
    '{"a":"\\"a\\":1"}',
    '{"a":{"a":1},"b":{"a":1}}',
    '{"a":"\\\\","b":"\\\\\\""}',
    '{"a":":","b":[":",":"]}',
    '[{"a":1},{"a":1}]',
    '{"a":" \\" : ","b" :1}',
  ])('a member named twice is not seen in %s', (text) => {
    expect(faultOf(text)).toBeUndefined();
  });

  it('a member named twice is found at any place and with any escapes', () => {
    const insert = fc
      .tuple(fc.array(fc.tuple(fc.string(), fc.json()), { minLength: 1 }), fc.nat(), fc.boolean(), fc.json())
      .map(([members, pick, isEscaped, value]) => {
        const [name] = members[pick % members.length] ?? ['', ''];
        const again = isEscaped ? escapeAll(name) : JSON.stringify(name);
        const written = members.map(([key, member]) => `${JSON.stringify(key)}:${member}`);
        return `[0,{${[...written, `${again} : ${value}`].join(',')}}]`;
      });
    fc.assert(fc.property(insert, (text) => expect(faultOf(text)?.kind).toBe('duplicate-member')));
  });

  it('a member named twice is not seen in any value that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2), (value, indent) => {
        expect(faultOf(JSON.stringify(value, null, indent))).toBeUndefined();
      }),
    );
  });

  it('a member named twice is named by a path of bounded length', () => {
    const name = 'n'.repeat(100_000);
    expect(faultOf(`{"${name}":1,"${name}":2}`)?.message.length).toBeLessThan(300);
  });
});

describe('nesting', () => {
  it('nested JSON is read to the limit of its depth', () => {
    expect(faultOf('['.repeat(JSON_NESTING_LIMIT) + ']'.repeat(JSON_NESTING_LIMIT))).toBeUndefined();
    expect(
      faultOf('{"a":'.repeat(JSON_NESTING_LIMIT) + '1e400' + '}'.repeat(JSON_NESTING_LIMIT)),
    ).toBeUndefined();
  });

  it.each([JSON_NESTING_LIMIT + 1, 15_000])('%i levels are one too many', (levels) => {
    expect(faultOf('['.repeat(levels) + ']'.repeat(levels))).toEqual({
      kind: 'too-deep',
      message: `must not nest deeper than ${JSON_NESTING_LIMIT} levels`,
    });
    expect(faultOf('{"a":'.repeat(levels) + '1' + '}'.repeat(levels))?.kind).toBe('too-deep');
  });
});

describe('numbers', () => {
  it.each([
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1E-400',
    '1e20',
    '0.1000000000000000055',
    '123456789012345678901234567890',
    '0.30000000000000004441',
  ])('keeps every digit of %s', (number) => {
    for (const text of [
      `{"a":${number}}`,
      `[${number},"x"]`,
      `{"a":[ ${number} ],"b":\n${number}}`,
      number,
    ]) {
      expect(JSON.stringify(valueOf(text))).toBe(JSON.stringify(JSON.parse(text, keepText)));
    }
    expect(JSON.stringify(valueOf(`{"a":${number}}`))).toBe(`{"a":${number}}`);
  });

  it.each(['0', '-1', '12.5', '1234567890123456', '0.1', '123456789.123456'])(
    'leaves %s a number, also beside a long one',
    (number) => {
      expect(valueOf(`[${number}]`)).toEqual([Number(number)]);
      expect(valueOf(`[1e400,${number}]`)).toEqual([expect.anything(), Number(number)]);
    },
  );

  it('keeps the text of any number that a double would change', () => {
    const digits = fc.stringMatching(/^-?[1-9][0-9]{0,30}(\.[0-9]{0,29}[1-9])?([eE][+-]?[0-9]{1,4})?$/);
    fc.assert(
      fc.property(digits, (number) => {
        expect(JSON.stringify(valueOf(`{"n":[${number}]}`))).toBe(`{"n":[${number}]}`);
      }),
    );
  });

  it('distinguishes a raw number from an object that looks like one', () => {
    expect(isRawNumber(valueOf('1e400'))).toBe(true);
    expect(isRawNumber(valueOf('{"rawJSON":"1"}'))).toBe(false);
    const raw = valueOf('1e2');
    expect(isRawNumber(raw) ? numberOf(raw) : undefined).toBe(100);
  });
});

describe('content that costs more than its length', () => {
  const numbers = (count: number): string => `[${Array.from({ length: count }, () => '1e5').join()}]`;
  const members = (count: number): string =>
    `{${Array.from({ length: count }, (_, index) => `"m${index}":0`).join()}}`;

  it('costly JSON is bounded: numbers that are kept as their text, and the members of one object', () => {
    expect(faultOf(numbers(10_000))).toBeUndefined();
    expect(faultOf(numbers(10_001))?.kind).toBe('too-many-numbers');
    expect(faultOf(members(10_000))).toBeUndefined();
    expect(faultOf(`[${members(10_001)}]`)?.kind).toBe('too-many-members');
    expect(faultOf(`[${members(9_000)},${members(9_000)}]`)).toBeUndefined();
  });

  it('costly JSON is bounded: objects and arrays of the whole text, but not brackets in strings', () => {
    const arrays = (count: number): string => `[${Array.from({ length: count - 1 }, () => '[]').join()}]`;
    const objects = (count: number): string => `[${Array.from({ length: count - 1 }, () => '{}').join()}]`;
    for (const texts of [arrays, objects]) {
      expect(faultOf(texts(15_000))).toBeUndefined();
      expect(faultOf(texts(15_001))?.kind).toBe('too-many-objects');
      expect(faultOf(`["\\\"${texts(15_001).replaceAll('"', '')}"]`)).toBeUndefined();
    }
    expect(faultOf('['.repeat(15_001))?.kind).toBe('too-many-objects');
  });

  it('a long text may have an object in 24 characters, up to those of a mebibyte', () => {
    const lines = (count: number, line: string): string =>
      `[${Array.from({ length: count - 1 }, () => line).join()}]`;
    const order = '{"sku":"A-12","qty":100}';
    for (const count of [20_000, 43_690]) expect(faultOf(lines(count, order))).toBeUndefined();
    expect(faultOf(lines(43_691, order))?.kind).toBe('too-many-objects');
    expect(faultOf(lines(50_000, JSON.stringify({ sku: 'A'.repeat(99) })))?.kind).toBe('too-many-objects');
    expect(faultOf(lines(20_000, '{"sku":"A","qty":100}'))?.kind).toBe('too-many-objects');
  });

  it('costly JSON is counted exactly, whatever strings hold', () => {
    const sizeOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? 1 + Object.values(value).reduce((sum: number, inner) => sum + sizeOf(inner), 0)
        : 0;
    const hostile = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', 'a') });
    const values = fc
      .jsonValue()
      .chain((value) => fc.dictionary(hostile, fc.tuple(hostile, fc.constant(value))));
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value);
        const size = sizeOf(JSON.parse(text));
        expect(holdsMoreObjectsThan(size, text)).toBe(false);
        expect(holdsMoreObjectsThan(size - 1, text)).toBe(true);
      }),
    );
  });

  it('costly JSON is read in one pass to the result of JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2), (value, indent) => {
        const whole = [value, JSON.parse('{"__proto__":{"a":[]},"b":"\\u0041\\n"}')];
        const text = `[1e5,${JSON.stringify(whole, null, indent)}]`;
        expect(JSON.stringify(valueOf(text))).toBe(`[1e5,${JSON.stringify(whole)}]`);
      }),
    );
  });
});

describe('JSON that was written here', () => {
  it('JSON that was written here is read as readJson read it, every digit of it', () => {
    const text = '{"a":0.12345678901234567890,"b":[1e400,9007199254740993,-1.5],"c":{"d":"1e5"},"e":12}';
    expect(JSON.stringify(parseOwnJson(text))).toBe(text);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const written = JSON.stringify(value);
        const read = readJson(written);
        expect(parseOwnJson(written)).toEqual(read.ok && read.value.value);
      }),
    );
    expect(() => parseOwnJson('{"a":')).toThrow(SyntaxError);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

function keepText(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value;
}
