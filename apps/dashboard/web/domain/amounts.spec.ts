import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readableAmount, runningSums, subtractAmounts, sumAmounts } from './amounts.js';

const amounts = (decimals: number) =>
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((minor) => {
    const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
    const sign = minor < 0n ? '-' : '';
    return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  });

describe('amounts as text', () => {
  it('a difference is exact beyond what a double holds', () => {
    expect(subtractAmounts('9007199254740993.01', '0.02')).toBe('9007199254740992.99');
    expect(subtractAmounts('0.000', '0.001')).toBe('-0.001');
    expect(subtractAmounts('1500', '1500')).toBe('0');
    expect(subtractAmounts('-10.50', '-10.50')).toBe('0.00');
  });

  it('a sum keeps the decimals of its parts', () => {
    expect(sumAmounts(['10.00', '-1.00', '-25.50', '-0.50'])).toBe('-17.00');
    expect(sumAmounts([])).toBe('0');
  });

  it('what remains after each amount is the sum up to it, of thousands of amounts, too', () => {
    expect(runningSums(['10.00', '-1.00', '-25.50'])).toEqual(['10.00', '9.00', '-16.50']);
    const sums = runningSums(Array.from({ length: 10_000 }, () => '0.005'));
    expect([sums[0], sums[1], sums.at(-1)]).toEqual(['0.005', '0.010', '50.000']);
  });

  it('a difference added to what was taken away is the first amount', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0, 2, 3).chain((decimals) => fc.tuple(amounts(decimals), amounts(decimals))),
        ([first, second]) => {
          expect(sumAmounts([subtractAmounts(first, second), second])).toBe(
            first.replace(/^-(0(\.0+)?)$/, '$1'),
          );
        },
      ),
    );
  });

  it('a readable amount has its thousands apart and each of its digits', () => {
    expect(
      ['1234.50', '999.99', '-1000', '+123456.005', '-0.5', '0.0001', '9007199254740993.01'].map(
        readableAmount,
      ),
    ).toEqual([
      '1,234.50',
      '999.99',
      '\u22121,000',
      '+123,456.005',
      '\u22120.5',
      '0.0001',
      '9,007,199,254,740,993.01',
    ]);
  });

  it('a text that is no amount is a fault', () => {
    for (const text of ['', '1e3', '1,00', 'NaN', '.5'])
      expect(() => sumAmounts([text])).toThrow('No amount');
  });
});
