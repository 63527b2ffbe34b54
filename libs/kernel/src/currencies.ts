import { data } from 'currency-codes';

/** What ISO 4217 lists without a minor unit (`N.A.`, for which the package says 0): metals, units of account, codes for tests. */
const WITHOUT_MINOR_UNIT = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** What ISO 4217 changed after the list of 2024-06-25 that the package carries: docs/decisions/money.md. */
const WITHDRAWN_SINCE = ['ANG', 'BGN', 'CUC'];
const ADDED_SINCE: readonly (readonly [code: string, digits: number])[] = [
  ['XAD', 2],
  ['XCG', 2],
];

const MINOR_DIGITS = activeCurrencies();

/**
 * Decimals of an active ISO 4217 currency: JPY 0, EUR 2, KWD 3, IQD 3. From data, because `Intl` rounds to what is
 * usual in shops (IQD 0).
 * @returns undefined for what is no active code in upper case with a minor unit
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
