import { describe, expect, it } from '@jest/globals';
import { currencyCodes, minorDigitsOf } from './index.js';

describe('minorDigitsOf', () => {
  it.each([
    ['JPY', 0],
    ['KRW', 0],
    ['ISK', 0],
    ['EUR', 2],
    ['USD', 2],
    ['IDR', 2],
    ['HUF', 2],
    ['LBP', 2],
    ['KWD', 3],
    ['IQD', 3],
    ['TND', 3],
    ['CLF', 4],
    ['UYW', 4],
  ])('%s has the decimals of ISO 4217, not of Intl: %d', (currency, digits) => {
    expect(minorDigitsOf(currency)).toBe(digits);
  });

  it.each(['XAU', 'XAG', 'XPT', 'XPD', 'XXX', 'XTS', 'XBA', 'XBB', 'XBC', 'XBD', 'XDR', 'XSU', 'XUA'])(
    '%s has no minor unit',
    (currency) => {
      expect(minorDigitsOf(currency)).toBeUndefined();
    },
  );

  it('includes changes of ISO 4217 since the package was published', () => {
    expect(minorDigitsOf('XAD')).toBe(2);
    expect(minorDigitsOf('XCG')).toBe(2);
    expect(minorDigitsOf('ZWG')).toBe(2);
    for (const withdrawn of ['ANG', 'CUC', 'BGN', 'HRK', 'ZWL', 'SLL', 'DEM']) {
      expect(minorDigitsOf(withdrawn)).toBeUndefined();
    }
  });

  it('knows codes in upper case only, and nothing else', () => {
    for (const text of ['eur', 'Eur', ' EUR', 'EU', 'EURO', '', '978', '__proto__', 'constructor']) {
      expect(minorDigitsOf(text)).toBeUndefined();
    }
  });

  it('gives each of its currencies 0 to 4 decimals', () => {
    const codes = currencyCodes();
    expect(codes.length).toBe(165);
    for (const code of codes) {
      expect(code).toMatch(/^[A-Z]{3}$/);
      expect([0, 2, 3, 4]).toContain(minorDigitsOf(code));
    }
  });
});
