import { data } from 'currency-codes';

/**
 * ISO 4217 codes without a minor unit (`N.A.`; the package gives 0): metals, units of account, test codes.
 */
const WITHOUT_MINOR_UNIT = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** Changes of ISO 4217 after the list of 2024-06-25 in the package: docs/decisions/money.md. */
const WITHDRAWN_SINCE = ['ANG', 'BGN', 'CUC'];
const ADDED_SINCE: readonly (readonly [code: string, digits: number])[] = [
  ['XAD', 2],
  ['XCG', 2],
];

const MINOR_DIGITS = activeCurrencies();

/**
 * Decimals of an active ISO 4217 currency: JPY 0, EUR 2, KWD 3, IQD 3. From data, because `Intl` uses shop
 * conventions (IQD 0).
 * @returns undefined for anything but an active upper-case code with a minor unit
 */
export function minorDigitsOf(currency: string): number | undefined {
  return MINOR_DIGITS.get(currency);
}

/** Every code that `minorDigitsOf` knows. */
export function currencyCodes(): readonly string[] {
  return [...MINOR_DIGITS.keys()];
}

function activeCurrencies(): ReadonlyMap<string, number> {
  const digits = new Map(data.map((currency) => [currency.code, currency.digits]));
  for (const code of [...WITHOUT_MINOR_UNIT, ...WITHDRAWN_SINCE]) digits.delete(code);
  for (const [code, count] of ADDED_SINCE) digits.set(code, count);
  return digits;
}
