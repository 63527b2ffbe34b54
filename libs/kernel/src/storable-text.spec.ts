import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  holdsUnstorableNumber,
  isStorableText,
  nestsDeeperThan,
  readJson,
  toStorableJson,
  toStorableText,
} from './index.js';

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('\0', '\ud800', '\udfff', '\u{1f600}'), fc.string()),
});

describe('storable text', () => {
  it.each([
    ['a\0b', 'a\ufffdb'],
    ['\ud800x', '\ufffdx'],
    ['x\udc00', 'x\ufffd'],
    ['\udc00\ud800\0', '\ufffd\ufffd\ufffd'],
    ['\u{1f600}é', '\u{1f600}é'],
  ])('replaces characters in %j that Postgres and JSON cannot store', (text, stored) => {
    expect(toStorableText(text)).toBe(stored);
    expect(isStorableText(text)).toBe(text === stored);
  });

  it('keeps every other character in its place', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = toStorableText(text);
        expect(isStorableText(stored)).toBe(true);
        expect([...stored].length).toBe([...text].length);
        expect(toStorableText(stored)).toBe(stored);
      }),
    );
  });
});

describe('toStorableJson', () => {
  const dropped = new Set(['__proto__', 'trust']);

  it('drops named members at any depth and cleans texts and names', () => {
    const value: unknown = JSON.parse(
      '{"a":[{"trust":1,"b":"\\u0000"}],"__proto__":{"x":1},"\\ud800":{"__proto__":2,"c":null},"n":1.5,"t":true}',
    );
    expect(JSON.stringify(toStorableJson(value, dropped))).toBe(
      '{"a":[{"b":"\ufffd"}],"\ufffd":{"c":null},"n":1.5,"t":true}',
    );
  });

  it('keeps long numbers as they are', () => {
    const reading = readJson('{"n":1e400,"m":[9007199254740993]}');
    expect(JSON.stringify(reading.ok && toStorableJson(reading.value.value, dropped))).toBe(
      '{"n":1e400,"m":[9007199254740993]}',
    );
  });
});

describe('holdsUnstorableNumber', () => {
  const holds = (number: string): boolean => {
    const reading = readJson(`{"a":[0,{"b":${number}}],"c":"1e999999"}`);
    return holdsUnstorableNumber(reading.ok && reading.value.value);
  };

  // Beyond these bounds, Postgres 18 fails with "value overflows numeric format".
  it.each([
    '1e131071',
    '-1e131071',
    '1e-16383',
    '0.5e-16382',
    '9'.repeat(32_000),
    `0.${'1'.repeat(16_383)}`,
    '12.5',
    '1e400',
  ])('lets %.12s… be', (number) => expect(holds(number)).toBe(false));

  it.each([
    '1e131072',
    '-1e131072',
    '1e-16384',
    '0.5e-16383',
    '0e99999999999',
    `1e${'9'.repeat(400)}`,
    `1e-${'9'.repeat(400)}`,
    `0.${'1'.repeat(16_384)}`,
  ])('finds %.12s…', (number) => expect(holds(number)).toBe(true));
});

describe('nestsDeeperThan', () => {
  it.each([
    ['1', 0],
    ['{}', 1],
    ['[[]]', 2],
    ['{"a":[{"b":1},{"b":[]}],"c":{}}', 4],
    ['[1e400]', 1],
  ])('counts the levels of %s as %i', (text, levels) => {
    const reading = readJson(text);
    const value = reading.ok ? reading.value.value : undefined;
    expect(nestsDeeperThan(value, levels)).toBe(false);
    expect(levels > 0 && nestsDeeperThan(value, levels - 1)).toBe(levels > 0);
  });
});
