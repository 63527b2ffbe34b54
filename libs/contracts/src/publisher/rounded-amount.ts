import { formatMinor, isRawNumber, minorDigitsOf, multiplyToMinor, parseDecimal } from '@truetally/kernel';

const ONE = { units: 1n, scale: 0 };

/**
 * A network's amount with the decimals of its currency. Extra decimals are rounded, half to even. Anything
 * that is not an amount is left unchanged for the row's rules to refuse.
 */
export function roundedAmount(value: unknown, currency: unknown): unknown {
  const digits = typeof currency === 'string' ? minorDigitsOf(currency) : undefined;
  const decimal = isRawNumber(value) || typeof value !== 'object' ? parseDecimal(value) : undefined;
  if (digits === undefined || decimal === undefined || typeof currency !== 'string') return value;
  return formatMinor(multiplyToMinor(decimal, ONE, digits), currency);
}
