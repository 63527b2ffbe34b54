import { minorDigitsOf } from './currencies.js';
import { type Decimal, powerOfTen, withPoint } from './decimal.js';

/** The largest amount that is taken in, in minor units of any currency; the smallest is its negative. */
export const MAX_MINOR = 2n ** 63n - 1n;

/**
 * A decimal amount of major units as whole minor units.
 * @param digits decimals of the currency, as `minorDigitsOf` says
 * @returns undefined when it has more decimals than that
 */
export function toMinor({ units, scale }: Decimal, digits: number): bigint | undefined {
  return scale > digits ? undefined : units * powerOfTen(digits - scale);
}

/**
 * Minor units as a decimal string with exactly the currency's decimals: `-1.50`, never `-0.00`.
 * @throws RangeError for a currency without a minor unit: nobody can hold such an amount
 */
export function formatMinor(minor: bigint, currency: string): string {
  const digits = minorDigitsOf(currency);
  if (digits === undefined) throw new RangeError(`${currency} has no minor unit.`);
  return withPoint(minor, digits);
}

/** Rounds a fraction to a whole number, and from the middle between two to the even one; any signs. */
export function roundHalfEven(numerator: bigint, denominator: bigint): bigint {
  if (denominator < 0n) return roundHalfEven(-numerator, -denominator);
  const quotient = numerator / denominator;
  const twiceRest = (numerator % denominator) * 2n;
  const distance = twiceRest < 0n ? -twiceRest : twiceRest;
  const isRoundedAway = distance > denominator || (distance === denominator && quotient % 2n !== 0n);
  if (!isRoundedAway) return quotient;
  return twiceRest < 0n ? quotient - 1n : quotient + 1n;
}

/** The exact product, rounded once, half to even, to minor units: a quantity times a price. */
export function multiplyToMinor(a: Decimal, b: Decimal, digits: number): bigint {
  const product = a.units * b.units;
  const excess = a.scale + b.scale - digits;
  return excess <= 0 ? product * powerOfTen(-excess) : roundHalfEven(product, powerOfTen(excess));
}

/**
 * Divides a total by weights so that the parts sum to it exactly: each gets the whole part of its share, and what is
 * left goes, one unit each, to the largest remainders, among equal ones to the first.
 * @param total any sign; the parts of a negative total are those of the positive one, negated
 * @param weights none negative
 * @throws RangeError when a weight is negative, or a total other than zero meets no weight above zero
 */
export function allocate(total: bigint, weights: readonly bigint[]): bigint[] {
  if (total < 0n) return allocate(-total, weights).map((part) => -part);
  if (weights.some((weight) => weight < 0n)) throw new RangeError('A weight is negative.');
  const sum = weights.reduce((left, right) => left + right, 0n);
  if (sum === 0n) {
    if (total !== 0n) throw new RangeError('There is nothing to allocate a total to.');
    return weights.map(() => 0n);
  }
  const parts = weights.map((weight) => (total * weight) / sum);
  const remainders = weights.map((weight, index) => ({ index, remainder: (total * weight) % sum }));
  const left = total - parts.reduce((one, other) => one + other, 0n);
  // The sort is stable: equal remainders keep their order.
  remainders.sort((one, other) => compare(other.remainder, one.remainder));
  // Fewer units are left than there are weights.
  for (const { index } of remainders.slice(0, Number(left))) parts[index] = (parts[index] ?? 0n) + 1n;
  return parts;
}

function compare(left: bigint, right: bigint): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
