import { minorDigitsOf, roundHalfEven } from '@truetally/kernel';

const EURO_CENTS = 2;
const SHORTEST_DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * A number as whole minor units, rounded half to even. It is read as its shortest decimal (interface page,
 * section 9): 1.005 is 1.005, and not what a double makes of it.
 * @param amount finite and not negative
 * @param digits decimals of the currency
 */
export function observedMinor(amount: number, digits: number): bigint {
  const [, whole = '0', fraction = '', exponent = '0'] = SHORTEST_DECIMAL.exec(String(amount)) ?? [];
  const units = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent) - digits;
  return scale <= 0 ? units * 10n ** BigInt(-scale) : roundHalfEven(units, 10n ** BigInt(scale));
}

/** The same in a currency; of one that has no minor unit as of the euro. */
export function observedIn(currency: string, amount: number): bigint {
  return observedMinor(amount, minorDigitsOf(currency) ?? EURO_CENTS);
}
