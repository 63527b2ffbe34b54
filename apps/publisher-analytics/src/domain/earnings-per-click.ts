import { formatDecimal, minorDigitsOf, roundHalfEven } from '@truetally/kernel';

/** Decimals beyond those of the currency: a click earns less than its smallest unit. */
const MORE_DIGITS = 4;
const MORE = 10n ** BigInt(MORE_DIGITS);

/** The fields of a currency's measures. */
export type EarningsPerClick =
  { readonly earnings_per_click: string } | { readonly earnings_per_click: null; readonly reason: string };

/**
 * Commission by click (interface page, section 8).
 * @param commission approved and pending, in minor units
 */
export function earningsPerClick(commission: bigint, clicks: bigint, currency: string): EarningsPerClick {
  if (clicks === 0n) return { earnings_per_click: null, reason: 'There were no clicks.' };
  const scale = (minorDigitsOf(currency) ?? 0) + MORE_DIGITS;
  return { earnings_per_click: formatDecimal({ units: roundHalfEven(commission * MORE, clicks), scale }) };
}
