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

/**
 * The shape of a text whose length is not its fault: besides that, what most often is. It holds nothing of the
 * content, not even a scheme.
 */
export function textShapeOf(text: string): string {
  const isUrl = LIKE_A_URL.test(text);
  const traits = [
    ...(isUrl ? traitsOfUrl(text) : []),
    ...(/\s/.test(text) ? ['white space'] : []),
    ...(/[\0-\x08\x0e-\x1f\x7f]/.test(text) ? ['control characters'] : []),
    ...(NOT_ASCII.test(text) ? ['characters beyond ASCII'] : []),
  ];
  const shape = isUrl ? `a URL of ${shapeOf(text)}` : shapeOf(text);
  return traits.length === 0 ? shape : `${shape} with ${traits.join(', ')}`;
}

const LIKE_A_URL = /^\s*[a-z][a-z0-9+.-]*:\/\//i;
const NOT_ASCII = /[^\0-\x7f]/;

function traitsOfUrl(text: string): readonly string[] {
  const url = URL.parse(text);
  if (url === null) return ['no host that can be read'];
  const { protocol, username, password, search, hash } = url;
  return [
    ...(/^https?:$/.test(protocol) ? [] : ['another scheme than http(s)']),
    ...(username + password === '' ? [] : ['a user']),
    // Its text tells: the URL of a bare origin has the path /, too.
    ...(/^[^:]*:\/\/[^/?#]*\//.test(text) ? ['a path'] : []),
    ...(search === '' ? [] : ['a query']),
    ...(hash === '' ? [] : ['a fragment']),
  ];
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
