import { minorDigitsOf } from '@truetally/kernel';

export const CURRENCY_FORM = 'an active ISO 4217 currency code in upper case';
export const TIME_ZONE_FORM = 'an IANA time zone name';

const MAX_TIME_ZONE_LENGTH = 64;
/** `Region/City`, or one of the old single words. `+01:00` is an offset, not a zone with a history. */
const TIME_ZONE_PATTERN = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

/** An active ISO 4217 code that has a minor unit: no metals, bonds or test codes (interface page, section 6). */
export function currencyOf(text: string): string | undefined {
  return minorDigitsOf(text) === undefined ? undefined : text;
}

/** An IANA time zone name, kept as the merchant wrote it (aliases included). */
export function timeZoneOf(text: string): string | undefined {
  if (text.length > MAX_TIME_ZONE_LENGTH || !TIME_ZONE_PATTERN.test(text)) return undefined;
  try {
    // Only an exception shows an unknown zone: `supportedValuesOf` leaves out every alias.
    new Intl.DateTimeFormat('en', { timeZone: text });
    return text;
  } catch {
    return undefined;
  }
}
