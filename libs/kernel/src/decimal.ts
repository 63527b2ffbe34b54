import { isRawNumber } from './raw-number.js';

/** An exact decimal: `units` / 10^`scale`, in lowest terms (no trailing zero after the point), so that equal values are equal. */
export interface Decimal {
  readonly units: bigint;
  /** Digits after the point, from 0. */
  readonly scale: number;
}

/** Digits allowed on each side of a decimal's point: far above every amount, far below what is slow. */
export const DECIMAL_DIGITS = 40;

/**
 * Reads an exact decimal from a JSON number (as `readJson` returns it, so that nothing passes through a
 * double) or from a plain decimal string: digits, at most one point between them, an optional minus. JSON
 * numbers may have an exponent, strings may not.
 * @returns undefined for anything else, and beyond `DECIMAL_DIGITS`
 */
export function parseDecimal(value: unknown): Decimal | undefined {
  if (typeof value === 'number') {
    // readJson keeps a number as a double only if it has at most 15 significant digits or round-trips. Its
    // shortest text is then the decimal that was sent.
    return Number.isSafeInteger(value) ? { units: BigInt(value), scale: 0 } : fromText(String(value), NUMBER);
  }
  if (typeof value === 'string') return fromText(value, PLAIN_DECIMAL);
  return isRawNumber(value) ? fromText(value.rawJSON, NUMBER) : undefined;
}

/** Canonical text: `-1.5`, `0`, `120`. Equal decimals have equal texts. */
export function formatDecimal({ units, scale }: Decimal): string {
  return withPoint(units, scale);
}

/** The digits of `units` with `scale` of them after the point; never `-0`. */
export function withPoint(units: bigint, scale: number): string {
  if (scale === 0) return units.toString();
  const isNegative = units < 0n;
  const digits = (isNegative ? -units : units).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${isNegative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** 10^exponent. Small ones are cached, because every amount needs one. */
export function powerOfTen(exponent: number): bigint {
  return POWERS_OF_TEN[exponent] ?? 10n ** BigInt(exponent);
}

const POWERS_OF_TEN: readonly bigint[] = Array.from(
  { length: DECIMAL_DIGITS + 1 },
  (_, index) => 10n ** BigInt(index),
);

const PLAIN_DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const ZERO: Decimal = { units: 0n, scale: 0 };
const DIGIT_ZERO = 0x30;
const MINUS = 0x2d;
/** From the digit zero. */
const POINT = 0x2e - DIGIT_ZERO;
const SHORT_CHARACTERS = 15;

function fromText(text: string, form: RegExp): Decimal | undefined {
  return shortDecimal(text) ?? longDecimal(text, form);
}

/**
 * Nearly every amount: at most fifteen digits, which a double counts exactly, without an exponent. Of an order of five lines a
 * third of what the gateway did with it was reading its sixty decimals. Undefined for any other text.
 */
function shortDecimal(text: string): Decimal | undefined {
  const { length } = text;
  const first = text.charCodeAt(0) === MINUS ? 1 : 0;
  if (length === first || length > SHORT_CHARACTERS) return undefined;
  let units = 0;
  let scale = 0;
  for (let at = first; at < length; at += 1) {
    const digit = text.charCodeAt(at) - DIGIT_ZERO;
    if (digit >= 0 && digit <= 9) units = units * 10 + digit;
    else if (digit === POINT && scale === 0 && at > first && at < length - 1) scale = length - 1 - at;
    else return undefined;
  }
  for (; scale > 0 && units % 10 === 0; scale -= 1) units /= 10;
  return { units: BigInt(first === 1 ? -units : units), scale };
}

/** Any text of the form. */
function longDecimal(text: string, form: RegExp): Decimal | undefined {
  const parts = form.exec(text);
  if (parts === null) return undefined;
  const whole = parts[2] ?? '';
  const digits = whole + (parts[3] ?? '');
  const first = firstNonZero(digits);
  if (first === digits.length) return ZERO;
  const end = endOfNonZero(digits);
  // The value is 0.(digits from `first` to `end`) × 10^pointAt.
  const pointAt = whole.length - first + Number(parts[4] ?? 0);
  const significant = end - first;
  const scale = Math.max(0, significant - pointAt);
  if (!(pointAt <= DECIMAL_DIGITS && scale <= DECIMAL_DIGITS)) return undefined;
  const magnitude = BigInt(digits.slice(first, end)) * powerOfTen(Math.max(0, pointAt - significant));
  return { units: parts[1] === '-' ? -magnitude : magnitude, scale };
}

function firstNonZero(digits: string): number {
  let index = 0;
  while (index < digits.length && digits.charCodeAt(index) === DIGIT_ZERO) index += 1;
  return index;
}

function endOfNonZero(digits: string): number {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === DIGIT_ZERO) end -= 1;
  return end;
}
