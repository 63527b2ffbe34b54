import { describe, expect, it } from '@jest/globals';
import { readJson } from '@truetally/kernel';
import * as rules from './rules.js';

const FACE = '\u{1f600}';
const raw = (text: string): unknown => {
  const reading = readJson(text);
  return reading.ok ? reading.value.value : undefined;
};

describe('rules', () => {
  const name = rules.nonEmptyText({ max: 3 });
  const demand = 'must be a non-empty string of at most 3 characters';

  it.each<[unknown, string | undefined]>([
    ['abc', undefined],
    ['\0', undefined],
    [FACE.repeat(3), undefined],
    ['', `${demand}; got an empty string`],
    ['abcd', `${demand}; got 4 characters`],
    [FACE.repeat(4), `${demand}; got 4 characters`],
    [undefined, `${demand}; got nothing`],
    [null, `${demand}; got null`],
    [1, `${demand}; got a number`],
    [true, `${demand}; got a boolean`],
    [[1], `${demand}; got an array of 1 item`],
    [[], `${demand}; got an empty array`],
    [{ secret: 1 }, `${demand}; got an object`],
    [raw('1e400'), `${demand}; got a number out of range`],
  ])('count code points and name the shape of %j', (value, message) => expect(name(value)).toBe(message));

  it('refuse characters in an id that could not be stored unchanged', () => {
    const id = rules.identifier({ max: 3 });
    expect(id('a\0')).toBe('must not contain U+0000 or an unpaired surrogate');
    expect(id('\udc00')).toBe('must not contain U+0000 or an unpaired surrogate');
    expect(id(`${FACE}ab`)).toBeUndefined();
    expect(id('abcd')).toBe(`${demand}; got 4 characters`);
  });

  it('let optional text be empty', () => {
    expect(rules.text({ max: 3 })('')).toBeUndefined();
    expect(rules.text({ max: 3 })('abcd')).toBe('must be a string of at most 3 characters; got 4 characters');
  });

  it.each<[unknown, string | undefined]>([
    [0, undefined],
    [-0, undefined],
    [12.5, undefined],
    [Number.MAX_VALUE, undefined],
    [raw('12345678901234567890.12'), undefined],
    [-0.01, 'must be a number of at least 0; got a negative number'],
    [raw('-1e3'), 'must be a number of at least 0; got a negative number'],
    [raw('-1e-400'), 'must be a number of at least 0; got a number'],
    [raw('-0.0e-400'), undefined],
    [raw('1e400'), 'must be a number of at least 0; got a number out of range'],
    ['12', 'must be a number of at least 0; got 2 characters'],
    [null, 'must be a number of at least 0; got null'],
  ])('take %p as an amount or say why not', (value, message) => {
    expect(rules.finiteNumber({ min: 0 })(value)).toBe(message);
  });

  it.each<[unknown, string | undefined]>([
    ['2026-01-31T09:30:00Z', undefined],
    ['2026-01-31T09:30:00.123456+05:30', undefined],
    ['2026-01-31T09:30:00', 'must be an ISO 8601 date and time with an offset; got 19 characters'],
    [1769851800000, 'must be an ISO 8601 date and time with an offset; got a number'],
  ])('take %p as a time or say why not', (value, message) => {
    expect(rules.timestamp(value)).toBe(message);
  });

  it.each<[unknown, string | undefined]>([
    ['https://shop.example/', undefined],
    ['nonsense', 'must be an absolute http(s) URL'],
    ['', 'must be an absolute http(s) URL; got an empty string'],
    [5, 'must be an absolute http(s) URL; got a number'],
    [
      `https://shop.example/${'a'.repeat(20)}`,
      'must be an absolute http(s) URL of at most 30 characters; got 41 characters',
    ],
  ])('take %p as a URL or say why not', (value, message) => {
    expect(rules.httpUrl({ max: 30 })(value)).toBe(message);
  });

  it('name the members of a fixed list, not the given value', () => {
    const rule = rules.oneOf(['a', 'b']);
    expect(rule('a')).toBeUndefined();
    expect(rule('c')).toBe('must be one of a, b; got 1 character');
    expect(rule('__proto__')).toBe('must be one of a, b; got 9 characters');
    for (const nearly of ['A', ' b'])
      expect(rule(nearly)).toBe('must be one of a, b; got one of them in another spelling');
    expect(rule('')).toBe('must be one of a, b; got an empty string');
    expect(rule(0)).toBe('must be one of a, b; got a number');
  });

  it('take an object for an object only', () => {
    expect(rules.jsonObject({})).toBeUndefined();
    expect(rules.jsonObject([])).toBe('must be an object; got an empty array');
    expect(rules.jsonObject(raw('1e400'))).toBe('must be an object; got a number out of range');
  });

  it.each([
    [
      'ftp://me:hidden@host.example/?token=hidden#hidden',
      'scheme than http(s), a user, a path, a query, a fragment',
    ],
    ['https://shop.example/a', 'a URL of 22 characters with a path'],
    ['https://shop.example', 'a URL of 20 characters'],
    ['https://shop.example/', 'a URL of 21 characters with a path'],
    ['http://', 'a URL of 7 characters with no host that can be read'],
    ['shop.example', '12 characters'],
    ['shop\0.example ', '14 characters with white space, control characters'],
    ['shöp', '4 characters with characters beyond ASCII'],
  ])('a refused text is told by its shape and never by its content: %j', (text, shape) => {
    const told = rules.readableText(() => undefined, 'another', 'x')(text) ?? '';
    expect(told.endsWith(shape)).toBe(true);
    expect(told).not.toMatch(/hidden|token|ftp|example/);
  });

  it('bound a list', () => {
    const rule = rules.list({ min: 1, max: 2 });
    expect(rule([1, 2])).toBeUndefined();
    expect(rule([])).toBe('must be an array of 1 to 2 items; got an empty array');
    expect(rule([1, 2, 3])).toBe('must be an array of 1 to 2 items; got an array of 3 items');
    expect(rule({ length: 1 })).toBe('must be an array of 1 to 2 items; got an object');
  });

  it('match an exact form', () => {
    const rule = rules.matching(/^[0-9]+$/, 'digits');
    expect(rule('12')).toBeUndefined();
    expect(rule('x')).toBe('must be digits; got 1 character');
    expect(rule(' 12')).toBe('must be digits; got 3 characters with white space');
    expect(rule('')).toBe('must be digits; got an empty string');
    expect(rule(12)).toBe('must be digits; got a number');
  });

  it('take one version, however it is spelt', () => {
    const rule = rules.exactly(1);
    for (const text of ['1', '1.0', '1e0', '10e-1']) expect(rule(raw(text))).toBeUndefined();
    expect(rule(2)).toBe('must be the number 1; got another number');
    expect(rule('1')).toBe('must be the number 1; got 1 character');
  });

  it('take a decimal as a JSON number or a plain string', () => {
    for (const value of [0.1, raw('1e2'), raw('9007199254740993'), '-12.50', '007']) {
      expect(rules.decimal(value)).toBeUndefined();
    }
    expect(rules.decimal('1e2')).toMatch(
      /^must be a JSON number or a plain decimal string, .*; got 3 characters$/,
    );
    expect(rules.decimal(raw('1e400'))).toMatch(/; got a number out of range$/);
  });

  it('a name that strangers read is one line, in its own direction, without a link', () => {
    const fits = rules.plainName({ max: 20 });
    for (const name of ['Shop', 'Müller & Söhne', 'shop.example', 'متجر', '👩\u200d🚀 Travel', 'a: b / c'])
      expect([name, fits(name)]).toEqual([name, undefined]);
    for (const name of [
      'Pay at https://evil.example',
      'two\nlines',
      'two\u2028lines',
      '\u202eppohs',
      'a\u2066b',
      'a\u0000b',
      ' \t ',
      '',
      'x'.repeat(21),
    ])
      expect([name, typeof fits(name)]).toEqual([name, 'string']);
  });
});
