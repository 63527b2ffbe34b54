import {
  DECIMAL_DIGITS,
  isRawNumber,
  isStorableText,
  numberOf,
  parseDecimal,
  parseInstant,
  type RawNumber,
} from '@truetally/kernel';
import { isAbsoluteHttpUrl } from './http-url.js';
import { isJsonObject, isLongerThan, shapeOf } from './shape.js';

/**
 * A rule over one value: undefined when it holds, otherwise what it demands and the shape of what came. The value
 * itself is never in a message, because messages are answered and logged.
 */
export type Rule = (value: unknown) => string | undefined;

export interface TextLimit {
  /** Unicode code points. */
  readonly max: number;
}

/** Free text that may be empty: `document.referrer` often is. */
export function text({ max }: TextLimit): Rule {
  const demand = `must be a string of at most ${max} characters`;
  return (value) =>
    typeof value === 'string' && !isLongerThan(value, max) ? undefined : `${demand}; got ${shapeOf(value)}`;
}

/** Free text that says something. U+0000 and lone surrogates in it are replaced, not refused. */
export function nonEmptyText({ max }: TextLimit): Rule {
  const demand = `must be a non-empty string of at most ${max} characters`;
  return (value) =>
    typeof value === 'string' && value !== '' && !isLongerThan(value, max)
      ? undefined
      : `${demand}; got ${shapeOf(value)}`;
}

/** An id or a member of a fixed list: a replaced character would make it another one, so it is refused. */
export function identifier({ max }: TextLimit): Rule {
  const isText = nonEmptyText({ max });
  return (value) => isText(value) ?? (isStorableText(String(value)) ? undefined : UNSTORABLE);
}

const UNSTORABLE = 'must not contain U+0000 or an unpaired surrogate';

const HTTP_URL = 'must be an absolute http(s) URL';

export function httpUrl({ max }: TextLimit): Rule {
  return (value) => {
    if (typeof value !== 'string' || value === '') return `${HTTP_URL}; got ${shapeOf(value)}`;
    if (isLongerThan(value, max)) return `${HTTP_URL} of at most ${max} characters; got ${shapeOf(value)}`;
    return isAbsoluteHttpUrl(value) ? undefined : HTTP_URL;
  };
}

const TIMESTAMP = 'must be an ISO 8601 date and time with an offset';

export const timestamp: Rule = (value) => {
  if (typeof value === 'string' && parseInstant(value) !== undefined) return undefined;
  return `${TIMESTAMP}; got ${shapeOf(value)}`;
};

export const jsonObject: Rule = (value) =>
  isJsonObject(value) ? undefined : `must be an object; got ${shapeOf(value)}`;

export function oneOf(allowed: readonly string[]): Rule {
  const known: ReadonlySet<unknown> = new Set(allowed);
  const demand = `must be one of ${allowed.join(', ')}`;
  return (value) => {
    if (known.has(value)) return undefined;
    return typeof value === 'string' && value !== ''
      ? `${demand}; got another string`
      : `${demand}; got ${shapeOf(value)}`;
  };
}

export interface NumberLimit {
  readonly min: number;
}

/** A name that somebody reads: white space alone says nothing. */
export function namingText({ max }: TextLimit): Rule {
  const isText = nonEmptyText({ max });
  return (value) =>
    isText(value) ??
    (String(value).trim() === ''
      ? `must be a non-empty string of at most ${max} characters; got white space`
      : undefined);
}

/** Text that `read` understands; `form` is the end of "must be …". */
export function readableText(read: (text: string) => unknown, form: string): Rule {
  const demand = `must be ${form}`;
  return (value) => {
    if (typeof value === 'string' && value !== '')
      return read(value) === undefined ? `${demand}; got another string` : undefined;
    return `${demand}; got ${shapeOf(value)}`;
  };
}

export const flag: Rule = (value) =>
  typeof value === 'boolean' ? undefined : `must be true or false; got ${shapeOf(value)}`;

export interface WholeNumberLimits {
  readonly min: number;
  readonly max: number;
}

/** Its spelling does not matter (`5.0`), a numeric string is none. */
export function wholeNumber({ min, max }: WholeNumberLimits): Rule {
  const demand = `must be a whole number from ${min} to ${max}`;
  return (value) => {
    if (typeof value !== 'number' && !isRawNumber(value)) return `${demand}; got ${shapeOf(value)}`;
    const number = numberOf(value);
    return Number.isInteger(number) && number >= min && number <= max
      ? undefined
      : `${demand}; got another number`;
  };
}

/** A number that a double can hold; a numeric string is none. */
export function finiteNumber(limit?: NumberLimit): Rule {
  const min = limit?.min ?? Number.NEGATIVE_INFINITY;
  const demand = limit === undefined ? 'must be a number' : `must be a number of at least ${min}`;
  return (value) => {
    if (typeof value === 'number' || isRawNumber(value)) {
      const number = numberOf(value);
      if (Number.isFinite(number) && number >= min && !isTooSmallToTell(value, number)) return undefined;
    }
    return `${demand}; got ${shapeOf(value)}`;
  };
}

/** Below zero by so little that a double says zero: `-1e-400`. */
function isTooSmallToTell(value: number | RawNumber, number: number): boolean {
  return Object.is(number, -0) && typeof value !== 'number' && NOT_ZERO.test(value.rawJSON);
}

/** A digit of the number itself, not of its exponent. */
const NOT_ZERO = /^-[0.]*[1-9]/;

/** The one number that is taken: a version. Its spelling does not matter (`1.0`), a numeric string is none. */
export function exactly(number: number): Rule {
  const demand = `must be the number ${number}`;
  return (value) => {
    if (typeof value !== 'number' && !isRawNumber(value)) return `${demand}; got ${shapeOf(value)}`;
    return numberOf(value) === number ? undefined : `${demand}; got another number`;
  };
}

const DECIMAL = `must be a JSON number or a plain decimal string, of at most ${DECIMAL_DIGITS} digits before and after the point`;

/** Whatever is read exactly as a decimal; what it may be besides depends on other fields (currency, sign). */
export const decimal: Rule = (value) =>
  parseDecimal(value) === undefined ? `${DECIMAL}; got ${shapeOf(value)}` : undefined;

/** Text of an exact form, named in words. */
export function matching(pattern: RegExp, form: string): Rule {
  const demand = `must be ${form}`;
  return (value) => {
    if (typeof value === 'string' && pattern.test(value)) return undefined;
    return typeof value === 'string' && value !== '' ? demand : `${demand}; got ${shapeOf(value)}`;
  };
}

export interface ListLimits {
  readonly min: number;
  readonly max: number;
}

/** The list as a whole; its items have a rule of their own. */
export function list({ min, max }: ListLimits): Rule {
  const demand = `must be an array of ${min} to ${max} items`;
  return (value) =>
    Array.isArray(value) && value.length >= min && value.length <= max
      ? undefined
      : `${demand}; got ${shapeOf(value)}`;
}
