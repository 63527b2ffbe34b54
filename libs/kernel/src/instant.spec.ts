import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatInstant, formatInstantPrecisely, parseInstant } from './index.js';

describe('parseInstant', () => {
  it.each([
    ['2026-01-31T09:30:00.000Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T10:30:00+01:00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T04:00:00.5-05:30', '2026-01-31T09:30:00.500Z'],
    ['2026-01-31T09:30Z', '2026-01-31T09:30:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(formatInstant(parseInstant(text)?.epochMs ?? Number.NaN)).toBe(expected);
  });

  it.each([
    '2026-01-31',
    '2026-01-31T09:30:00',
    '2026-02-30T09:30:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T09:60:00Z',
    '2026-01-31T09:30:00+25:00',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:59',
    'yesterday',
    '',
  ])('refuses %p', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('keeps digits below the millisecond, without trailing zeros', () => {
    expect(parseInstant('2026-01-31T09:30:00.123456Z')?.subMillisecond).toBe('456');
    expect(parseInstant('2026-01-31T09:30:00.123400Z')?.subMillisecond).toBe('4');
    expect(parseInstant('2026-01-31T09:30:00.123Z')?.subMillisecond).toBe('');
  });

  it('reads back every instant that an answer can carry', () => {
    const instants = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (date) => expect(parseInstant(date.toISOString())?.epochMs).toBe(date.getTime())),
    );
  });

  it('reads the form of answers as every other form of the same time, and writes it again as it came', () => {
    const digits = '0123456789-:.TZ+ /'.split('');
    const nearly = fc
      .tuple(
        fc.stringMatching(/^[0-3]\d{3}-[01]\d-[0-3]\dT[0-2]\d:[0-6]\d:[0-6]\d\.\d{3}$/),
        fc.nat(40),
        fc.nat(17),
      )
      .map(([text, at, other]) =>
        at < text.length ? text.slice(0, at) + (digits[other] ?? '') + text.slice(at + 1) : text,
      );
    fc.assert(
      fc.property(nearly, (text) => {
        const instant = parseInstant(`${text}Z`);
        expect(instant).toEqual(parseInstant(`${text}+00:00`));
        if (instant !== undefined)
          expect(formatInstant(instant.epochMs)).toBe(new Date(instant.epochMs).toISOString());
      }),
      { numRuns: 5_000 },
    );
  });

  it('knows the days of every month of every year', () => {
    const digits = (value: number, width: number): string => String(value).padStart(width, '0');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.nat(13), fc.nat(32), (year, month, day) => {
        const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
        const reference = new Date(0);
        reference.setUTCFullYear(year, month - 1, day);
        const isDate = reference.getUTCMonth() === month - 1 && reference.getUTCDate() === day;
        expect(parseInstant(`${date}T00:00:00Z`)?.epochMs).toBe(isDate ? reference.getTime() : undefined);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('formatInstantPrecisely', () => {
  it.each([
    ['2026-01-31T10:30:00+01:00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.1234Z', '2026-01-31T09:30:00.1234Z'],
    ['2026-01-31T09:30:00.123456789Z', '2026-01-31T09:30:00.123456Z'],
    ['2026-01-31T09:30:00.123400789Z', '2026-01-31T09:30:00.1234Z'],
    ['2026-01-31T09:30:00.123000001Z', '2026-01-31T09:30:00.123Z'],
  ])('writes %s to the microsecond, in one spelling', (text, expected) => {
    const instant = parseInstant(text);
    expect(instant === undefined ? undefined : formatInstantPrecisely(instant)).toBe(expected);
  });
});
