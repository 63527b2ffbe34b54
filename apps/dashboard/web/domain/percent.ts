/** A line does not break between a number and its sign: "%" alone says nothing. */
export const PERCENT_SIGN = '\u00a0%';

/** "12.5 %" of 0.125. */
export function percentOf(share: number, maximumFractionDigits = 3): string {
  return (share * 100).toLocaleString('en', { maximumFractionDigits }) + PERCENT_SIGN;
}

/** "10 %" of a rate as text, exactly: the point is moved, nothing is multiplied. */
export function percentOfRate(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const digits = fraction.padEnd(2, '0');
  const before = `${whole}${digits.slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  const after = digits.slice(2).replace(/0+$/, '');
  return (after === '' ? before : `${before}.${after}`) + PERCENT_SIGN;
}
