const SHOWN_DIGITS = 6;

/**
 * A count as it is, a measured number with six digits; a minus is a character: a hyphen is read over, and lines break behind it.
 */
export function figureText(value: number): string {
  const digits = Number.isInteger(value) ? {} : { maximumSignificantDigits: SHOWN_DIGITS };
  return value.toLocaleString('en', digits).replace('-', '\u2212');
}
