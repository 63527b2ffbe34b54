import { isRawNumber, numberOf } from '@truetally/kernel';

/** The type of the value received, without its content: the second half of every message. */
export function shapeOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string')
    return value === '' ? 'an empty string' : countOf(codePoints(value), 'character');
  if (typeof value === 'boolean') return 'a boolean';
  if (typeof value === 'number' || isRawNumber(value)) return numberShape(numberOf(value));
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty array' : `an array of ${countOf(value.length, 'item')}`;
  return 'an object';
}

/** Lengths count Unicode code points (interface page, section 1); a lone surrogate counts as one. */
export function isLongerThan(text: string, max: number): boolean {
  return text.length > max && (text.length > max * 2 || codePoints(text) > max);
}

/** A JSON object: not an array, null or number. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.codePointAt(index) ?? 0) > LAST_ONE_UNIT_CODE_POINT) index += 1;
    count += 1;
  }
  return count;
}

const LAST_ONE_UNIT_CODE_POINT = 0xffff;

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function numberShape(value: number): string {
  if (!Number.isFinite(value)) return 'a number out of range';
  return value < 0 ? 'a negative number' : 'a number';
}
