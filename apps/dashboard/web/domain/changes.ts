import { PERCENT_SIGN } from './percent.js';

const MINUS = '\u2212';

/** How a count differs from the one before, in words and in percent where that has a meaning. */
export function changeOf(now: number, before: number): string {
  const difference = now - before;
  if (difference === 0) return 'no change';
  const counted = signed(difference);
  if (before === 0) return counted;
  const percent = (difference / before) * 100;
  return `${counted} (${signed(Number(percent.toFixed(1)))}${PERCENT_SIGN})`;
}

/** With its sign as a character. */
export function signed(value: number): string {
  const size = Math.abs(value).toLocaleString('en', { maximumFractionDigits: 6 });
  return value < 0 ? MINUS + size : `+${size}`;
}
