import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DECIMAL_DIGITS, formatDecimal, parseDecimal, readJson } from './index.js';

/** The text of a JSON number in a body, as `readJson` returns it. */
function fromJson(text: string): string | undefined {
  const reading = readJson(`{"amount":${text}}`);
  if (!reading.ok) throw new Error(reading.error.message);
  const { amount } = reading.value.value as { readonly amount: unknown };
  return canonical(amount);
}

function canonical(value: unknown): string | undefined {
  const decimal = parseDecimal(value);
  return decimal === undefined ? undefined : formatDecimal(decimal);
}

/** The value of a number's text, computed independently by moving digits. */
function reference(text: string): string {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const isNegative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const shift = Number(power);
  const left = '0'.repeat(100) + whole;
  const right = fraction + '0'.repeat(100);
  const all = left + right;
  const point = left.length + shift;
  const value = `${all.slice(0, point).replace(/^0+(?=\d)/, '')}.${all.slice(point)}`.replace(/\.?0+$/, '');
  const plain = value === '' ? '0' : value;
  return isNegative && plain !== '0' ? `-${plain}` : plain;
}

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
const plainDecimal = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 30n }), digits(0, 30))
  .map(([isNegative, whole, fraction]) => `${isNegative ? '-' : ''}${whole}${fraction && `.${fraction}`}`);
const exponent = fc
  .tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat({ max: 9 }))
  .map((parts) => parts.join(''));
const jsonNumber = fc.tuple(plainDecimal, fc.option(exponent, { nil: '' })).map((parts) => parts.join(''));

describe('parseDecimal of a JSON number', () => {
  it.each([
    ['0.1', '0.1'],
    ['0.10', '0.1'],
    ['1e2', '100'],
    ['1E+2', '100'],
    ['15e-1', '1.5'],
    ['1500.0', '1500'],
    ['9007199254740993', '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['92233720368547758.07', '92233720368547758.07'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['0.0000001', '0.0000001'],
    ['1.10', '1.1'],
    ['-0', '0'],
    ['-0.00', '0'],
    ['0e5', '0'],
    ['0e999999999999', '0'],
    ['-1.50', '-1.5'],
    ['123456789.123456', '123456789.123456'],
  ])('%s is %s', (text, value) => {
    expect(fromJson(text)).toBe(value);
  });

  it('the decimal of a JSON number is exactly the number that was sent, however it was spelt', () => {
    fc.assert(
      fc.property(jsonNumber, (text) => {
        expect(fromJson(text)).toBe(reference(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('the decimal of a short number is exact, although readJson leaves it as a double', () => {
    const short = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 9n }), digits(1, 5))
      .map(([whole, fraction]) => `${whole}.${fraction}`);
    fc.assert(
      fc.property(short, (text) => {
        expect(fromJson(text)).toBe(reference(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes 40 digits on each side of the point, and not one more', () => {
    const [most, more] = ['9'.repeat(40), '9'.repeat(41)];
    expect(parseDecimal(most)).toEqual({ units: BigInt(most), scale: 0 });
    expect(parseDecimal(`-${most}.${most}`)).toEqual({ units: -BigInt(most + most), scale: 40 });
    expect(parseDecimal(`1${'0'.repeat(39)}`)).toEqual({ units: 10n ** 39n, scale: 0 });
    for (const text of [more, `0.${more}`, `1${'0'.repeat(40)}`, `0.${'0'.repeat(40)}1`]) {
      expect(parseDecimal(text)).toBeUndefined();
    }
    // Leading and trailing zeros do not count as digits.
    expect(parseDecimal(`${'0'.repeat(50)}1.5${'0'.repeat(50)}`)).toEqual({ units: 15n, scale: 1 });
  });

  it('refuses more digits than any amount has, at once', () => {
    for (const text of ['1e41', '1e400', '1e-41', '1e999999999999999999999', `${'9'.repeat(100_000)}`]) {
      expect(fromJson(text)).toBeUndefined();
    }
    expect(fromJson(`1${'0'.repeat(DECIMAL_DIGITS - 1)}`)).toBe(`1${'0'.repeat(DECIMAL_DIGITS - 1)}`);
    expect(fromJson(`1.5${'0'.repeat(100_000)}`)).toBe('1.5');
  });
});

describe('parseDecimal of a string', () => {
  it.each([
    ['12.50', '12.5'],
    ['-12.50', '-12.5'],
    ['007', '7'],
    ['-0.0', '0'],
    ['9223372036854775807', '9223372036854775807'],
  ])('%p is %s', (text, value) => {
    expect(canonical(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    '1e2',
    '1E2',
    '+1',
    '.5',
    '5.',
    '1,5',
    '1 000',
    ' 1',
    '1\n',
    '0x10',
    'NaN',
    'Infinity',
    '٣',
    '--1',
  ])('%p is no plain decimal string', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it('a text of digits, points and signs is its exact value in lowest terms if it is a decimal, whatever its length, and else nothing', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'0001259..-'), maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(nearly, plainDecimal), (text) => {
        const isDecimal = /^-?\d+(\.\d+)?$/.test(text);
        expect(canonical(text)).toBe(isDecimal ? reference(text) : undefined);
        const { units, scale } = parseDecimal(text) ?? { units: 1n, scale: 0 };
        expect(scale === 0 || units % 10n !== 0n).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it('agrees with the same text as a JSON number', () => {
    fc.assert(
      fc.property(plainDecimal, (text) => {
        expect(canonical(text)).toBe(fromJson(text));
      }),
    );
  });

  it('reads the output of formatDecimal, and equal values have one text', () => {
    fc.assert(
      fc.property(plainDecimal, fc.nat({ max: 5 }), (text, zeros) => {
        const spelt = canonical(text) ?? '';
        expect(canonical(spelt)).toBe(spelt);
        const longer = `${text}${text.includes('.') ? '' : '.'}${'0'.repeat(zeros + 1)}`;
        expect(canonical(longer)).toBe(spelt);
      }),
    );
  });
});

it('parseDecimal reads nothing but numbers and strings', () => {
  for (const value of [undefined, null, true, {}, [], [1], { rawJSON: '1' }, 1n, NaN, Infinity]) {
    expect(parseDecimal(value)).toBeUndefined();
  }
});
