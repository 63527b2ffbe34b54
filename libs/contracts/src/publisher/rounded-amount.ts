import { formatMinor, isRawNumber, minorDigitsOf, multiplyToMinor, parseDecimal } from '@truetally/kernel';

const ONE = { units: 1n, scale: 0 };

/**
 * A network's amount with the decimals of its currency: some say more of them than there are, and are rounded once, half
 * to even. What is no amount is left as it came, for the rules of a row to refuse.
 */
export function roundedAmount(value: unknown, currency: unknown): unknown {
  const digits = typeof currency === 'string' ? minorDigitsOf(currency) : undefined;
  const decimal = isRawNumber(value) || typeof value !== 'object' ? parseDecimal(value) : undefined;
  if (digits === undefined || decimal === undefined || typeof currency !== 'string') return value;
  return formatMinor(multiplyToMinor(decimal, ONE, digits), currency);
}
