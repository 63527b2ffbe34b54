import { minorDigitsOf } from './currencies.js';
import { type Decimal, powerOfTen, withPoint } from './decimal.js';

/** The largest accepted amount, in minor units of any currency; the smallest is its negative. */
export const MAX_MINOR = 2n ** 63n - 1n;

/**
 * Converts a decimal amount of major units to whole minor units.
 * @param digits decimals of the currency, as `minorDigitsOf` returns them
 * @returns undefined when it has more decimals than that
 */
export function toMinor({ units, scale }: Decimal, digits: number): bigint | undefined {
  return scale > digits ? undefined : units * powerOfTen(digits - scale);
}

/**
 * Minor units as a decimal string with exactly the currency's decimals: `-1.50`, never `-0.00`.
 * @throws RangeError for a currency without a minor unit: no amount can have one
 */
export function formatMinor(minor: bigint, currency: string): string {
  const digits = minorDigitsOf(currency);
  if (digits === undefined) throw new RangeError(`${currency} has no minor unit.`);
  return withPoint(minor, digits);
}

/** Rounds a fraction to a whole number, half to even; any signs. */
export function roundHalfEven(numerator: bigint, denominator: bigint): bigint {
  if (denominator < 0n) return roundHalfEven(-numerator, -denominator);
  const quotient = numerator / denominator;
  const twiceRest = (numerator % denominator) * 2n;
  const distance = twiceRest < 0n ? -twiceRest : twiceRest;
  const isRoundedAway = distance > denominator || (distance === denominator && quotient % 2n !== 0n);
  if (!isRoundedAway) return quotient;
  return twiceRest < 0n ? quotient - 1n : quotient + 1n;
}

/** The exact product of a quantity and a price, rounded a single time, half to even, to minor units. */
export function multiplyToMinor(a: Decimal, b: Decimal, digits: number): bigint {
  const product = a.units * b.units;
  const excess = a.scale + b.scale - digits;
  return excess <= 0 ? product * powerOfTen(-excess) : roundHalfEven(product, powerOfTen(excess));
}

/**
 * Splits a total by weights so that the parts sum to it exactly (largest remainder method): each gets the
 * whole part of its share, and the rest goes, one unit each, to the largest remainders, the first among
 * equals.
 * @param total any sign; the parts of a negative total are those of the positive one, negated
 * @param weights none negative
 * @throws RangeError for a negative weight, or for a non-zero total without a positive weight
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
  // There are fewer units left than weights.
  for (const { index } of remainders.slice(0, Number(left))) parts[index] = (parts[index] ?? 0n) + 1n;
  return parts;
}

function compare(left: bigint, right: bigint): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
