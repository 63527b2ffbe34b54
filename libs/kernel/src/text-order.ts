/**
 * Order of two texts by code points, as in databases with the collation `C` and most other languages.
 * JavaScript's own `<` sorts surrogate pairs (from U+10000) before U+E000 to U+FFFF.
 * @returns below, at or above zero, as `sort` expects
 */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left === right) continue;
    const [isLeftPair, isRightPair] = [isHalfOfPair(left), isHalfOfPair(right)];
    if (isLeftPair !== isRightPair) return isLeftPair ? 1 : -1;
    return left - right;
  }
  return one.length - other.length;
}

function isHalfOfPair(unit: number): boolean {
  return unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE;
}

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;
