import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  allocate,
  currencyCodes,
  type Decimal,
  formatMinor,
  MAX_MINOR,
  minorDigitsOf,
  multiplyToMinor,
  parseDecimal,
  roundHalfEven,
  toMinor,
} from './index.js';

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no decimal.`);
  return value;
}

const amount = fc.bigInt({ min: -MAX_MINOR, max: MAX_MINOR });
const currency = fc.constantFrom(...currencyCodes());

describe('toMinor', () => {
  it.each([
    ['1500.0', 0, 1500n],
    ['1500.5', 0, undefined],
    ['0.1', 2, 10n],
    ['-0.01', 2, -1n],
    ['0.001', 2, undefined],
    ['1.234', 3, 1234n],
    ['90071992547409.93', 2, 9007199254740993n],
  ])('%s with %d decimals', (text, digits, minor) => {
    expect(toMinor(decimal(text), digits)).toBe(minor);
  });

  it('reads back every amount that formatMinor writes', () => {
    fc.assert(
      fc.property(amount, currency, (minor, code) => {
        const text = formatMinor(minor, code);
        expect(toMinor(decimal(text), minorDigitsOf(code) ?? -1)).toBe(minor);
      }),
    );
  });
});

describe('formatMinor', () => {
  it.each([
    [-150n, 'EUR', '-1.50'],
    [0n, 'EUR', '0.00'],
    [-1n, 'EUR', '-0.01'],
    [-0n, 'JPY', '0'],
    [1500n, 'JPY', '1500'],
    [1n, 'KWD', '0.001'],
    [5n, 'CLF', '0.0005'],
    [MAX_MINOR, 'EUR', '92233720368547758.07'],
  ])('%s of %s is %s', (minor, code, text) => {
    expect(formatMinor(minor, code)).toBe(text);
  });

  it("a formatted amount has exactly the currency's decimals, and never -0", () => {
    fc.assert(
      fc.property(amount, currency, (minor, code) => {
        const text = formatMinor(minor, code);
        expect(text.split('.')[1]?.length ?? 0).toBe(minorDigitsOf(code));
        expect(text).not.toMatch(/^-[0.]*$/);
      }),
    );
  });

  it('refuses a currency without a minor unit', () => {
    expect(() => formatMinor(1n, 'XAU')).toThrow('XAU has no minor unit.');
  });
});

describe('roundHalfEven', () => {
  it.each([
    [1n, 2n, 0n],
    [3n, 2n, 2n],
    [5n, 2n, 2n],
    [-1n, 2n, 0n],
    [-3n, 2n, -2n],
    [-5n, 2n, -2n],
    [7n, 3n, 2n],
    [8n, 3n, 3n],
    [-8n, 3n, -3n],
    [5n, -2n, -2n],
  ])('%s / %s is %s', (numerator, denominator, rounded) => {
    expect(roundHalfEven(numerator, denominator)).toBe(rounded);
  });

  it('a half-even rounding is never further than a half away, and even when it is just that', () => {
    const denominator = fc.bigInt({ min: 1n, max: 1000n });
    fc.assert(
      fc.property(amount, denominator, (numerator, by) => {
        const rounded = roundHalfEven(numerator, by);
        const twice = 2n * (numerator - rounded * by);
        const distance = twice < 0n ? -twice : twice;
        expect(distance <= by).toBe(true);
        if (distance === by) expect(rounded % 2n).toBe(0n);
        expect(roundHalfEven(-numerator, by)).toBe(-rounded);
      }),
    );
  });
});

describe('multiplyToMinor', () => {
  it.each([
    ['3', '0.10', 2, 30n],
    ['0.5', '0.01', 2, 0n],
    ['1.5', '0.01', 2, 2n],
    ['2.5', '0.01', 2, 2n],
    ['0.333333', '9', 2, 300n],
    ['1.000001', '0.000001', 0, 0n],
    ['2.5', '1', 0, 2n],
    ['-2.5', '3', 0, -8n],
    ['1', '0.0015', 3, 2n],
  ])('%s × %s with %d decimals', (a, b, digits, minor) => {
    expect(multiplyToMinor(decimal(a), decimal(b), digits)).toBe(minor);
  });

  it('a multiplication to minor units is the exact product, rounded once', () => {
    const small = fc
      .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.nat({ max: 6 }))
      .map(([units, scale]) => ({ units, scale }));
    fc.assert(
      fc.property(small, small, fc.nat({ max: 4 }), (a, b, digits) => {
        const exact = a.units * b.units * 10n ** BigInt(digits);
        expect(multiplyToMinor(a, b, digits)).toBe(roundHalfEven(exact, 10n ** BigInt(a.scale + b.scale)));
        expect(multiplyToMinor(b, a, digits)).toBe(multiplyToMinor(a, b, digits));
      }),
    );
  });
});

describe('allocate', () => {
  it.each([
    [100n, [1n, 1n, 1n], [34n, 33n, 33n]],
    [-100n, [1n, 1n, 1n], [-34n, -33n, -33n]],
    [2n, [1n, 1n, 1n], [1n, 1n, 0n]],
    [5n, [0n, 1n, 0n], [0n, 5n, 0n]],
    [10n, [1n, 2n, 3n], [2n, 3n, 5n]],
    [0n, [0n, 0n], [0n, 0n]],
    [0n, [], []],
  ])('%s by %s is %s', (total, weights, parts) => {
    expect(allocate(total, weights)).toEqual(parts);
  });

  const weights = fc
    .array(fc.bigInt({ min: 0n, max: 10n ** 20n }), { minLength: 1, maxLength: 60 })
    .filter((list) => list.some((weight) => weight > 0n));

  it('sums to the total, and no part is a whole unit away from its share', () => {
    fc.assert(
      fc.property(amount, weights, (total, list) => {
        const parts = allocate(total, list);
        const sum = list.reduce((left, right) => left + right, 0n);
        expect(parts.reduce((left, right) => left + right, 0n)).toBe(total);
        for (const [index, part] of parts.entries()) {
          const away = part * sum - total * (list[index] ?? 0n);
          expect(away < sum && away > -sum).toBe(true);
        }
      }),
    );
  });

  it('gives equal weights parts that differ by one at most, the larger ones first', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_MINOR }), fc.integer({ min: 1, max: 50 }), (total, count) => {
        const parts = allocate(total, Array<bigint>(count).fill(1n));
        const [first = 0n, last = 0n] = [parts[0], parts.at(-1)];
        expect(first - last <= 1n).toBe(true);
        expect([...parts].sort((a, b) => (a === b ? 0 : a < b ? 1 : -1))).toEqual(parts);
      }),
    );
  });

  it('refuses amounts that cannot be divided', () => {
    expect(() => allocate(1n, [0n, 0n])).toThrow(RangeError);
    expect(() => allocate(1n, [])).toThrow(RangeError);
    expect(() => allocate(1n, [2n, -1n])).toThrow(RangeError);
  });
});
