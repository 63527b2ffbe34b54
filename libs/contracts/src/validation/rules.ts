import {
  DECIMAL_DIGITS,
  isRawNumber,
  isStorableText,
  numberOf,
  parseDecimal,
  parseInstant,
  type RawNumber,
} from '@truetally/kernel';
import { isAbsoluteHttpUrl, isLinkUrl } from './http-url.js';
import { isJsonObject, isLongerThan, shapeOf } from './shape.js';

/**
 * A rule over one value: undefined when it holds, otherwise what it demands and the shape of what came. The value
 * itself is never in a message, because messages are answered and logged.
 */
export interface Rule {
  (value: unknown): string | undefined;
  /** The same rule in JSON Schema: both take the same values. */
  readonly schema: JsonSchema;
  /** What the schema's `format` means, where it is more than a pattern can say. */
  readonly formats: Formats;
}

/** JSON Schema 2020-12, as far as rules need it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Each tells of a text whether it is of the format by whose name it stands. */
export type Formats = Readonly<Record<string, (text: string) => boolean>>;

function ruleOf(
  schema: JsonSchema,
  check: (value: unknown) => string | undefined,
  formats: Formats = {},
): Rule {
  return Object.assign((value: unknown) => check(value), { schema, formats });
}

export interface TextLimit {
  /** Unicode code points. */
  readonly max: number;
}

/** Free text that may be empty: `document.referrer` often is. */
export function text({ max }: TextLimit): Rule {
  const demand = `must be a string of at most ${max} characters`;
  return ruleOf({ type: 'string', maxLength: max }, (value) =>
    typeof value === 'string' && !isLongerThan(value, max) ? undefined : `${demand}; got ${shapeOf(value)}`,
  );
}

/** Free text that says something. U+0000 and lone surrogates in it are replaced, not refused. */
export function nonEmptyText({ max }: TextLimit): Rule {
  const demand = `must be a non-empty string of at most ${max} characters`;
  return ruleOf({ type: 'string', minLength: 1, maxLength: max }, (value) =>
    typeof value === 'string' && value !== '' && !isLongerThan(value, max)
      ? undefined
      : `${demand}; got ${shapeOf(value)}`,
  );
}

/** An id or a member of a fixed list: a replaced character would make it another one, so it is refused. */
export function identifier({ max }: TextLimit): Rule {
  const isText = nonEmptyText({ max });
  return ruleOf(
    { ...isText.schema, pattern: STORABLE_PATTERN },
    (value) => isText(value) ?? (isStorableText(String(value)) ? undefined : UNSTORABLE),
  );
}

/** Patterns are read by code points (ECMA-262, flag `u`), so that only surrogates without their other half are left. */
const STORABLE_PATTERN = '^[^\\u0000\\ud800-\\udfff]*$';
const UNSTORABLE = 'must not contain U+0000 or an unpaired surrogate';

const HTTP_URL = 'must be an absolute http(s) URL';

export function httpUrl({ max }: TextLimit): Rule {
  return ruleOf(
    { type: 'string', format: 'http-url', maxLength: max },
    (value) => {
      if (typeof value !== 'string' || value === '') return `${HTTP_URL}; got ${shapeOf(value)}`;
      if (isLongerThan(value, max)) return `${HTTP_URL} of at most ${max} characters; got ${shapeOf(value)}`;
      return isAbsoluteHttpUrl(value) ? undefined : HTTP_URL;
    },
    { 'http-url': isAbsoluteHttpUrl },
  );
}

const LINK_URL = 'must be an absolute http(s) URL without a user, quotes, brackets or marks of direction';

/** A URL that pages show as a link. */
export function linkUrl({ max }: TextLimit): Rule {
  const isUrl = httpUrl({ max });
  return ruleOf(
    { type: 'string', format: 'link-url', maxLength: max },
    (value) => isUrl(value) ?? (isLinkUrl(String(value)) ? undefined : LINK_URL),
    { 'link-url': isLinkUrl },
  );
}

const TIMESTAMP = 'must be an ISO 8601 date and time with an offset';

export const timestamp = ruleOf(
  { type: 'string', format: 'date-time' },
  (value) =>
    typeof value === 'string' && parseInstant(value) !== undefined
      ? undefined
      : `${TIMESTAMP}; got ${shapeOf(value)}`,
  { 'date-time': (written) => parseInstant(written) !== undefined },
);

export const jsonObject = ruleOf({ type: 'object' }, (value) =>
  isJsonObject(value) ? undefined : `must be an object; got ${shapeOf(value)}`,
);

export function oneOf(allowed: readonly string[]): Rule {
  const known: ReadonlySet<unknown> = new Set(allowed);
  const demand = `must be one of ${allowed.join(', ')}`;
  return ruleOf({ type: 'string', enum: allowed }, (value) => {
    if (known.has(value)) return undefined;
    return typeof value === 'string' && value !== ''
      ? `${demand}; got another string`
      : `${demand}; got ${shapeOf(value)}`;
  });
}

export interface NumberLimit {
  readonly min: number;
}

/** A name that somebody reads: white space alone says nothing. */
export function namingText({ max }: TextLimit): Rule {
  const isText = nonEmptyText({ max });
  return ruleOf(
    { ...isText.schema, pattern: '\\S' },
    (value) =>
      isText(value) ??
      (String(value).trim() === ''
        ? `must be a non-empty string of at most ${max} characters; got white space`
        : undefined),
  );
}

/** Text that `read` understands; `form` is the end of "must be …", `format` what schemas call it: one name, one meaning. */
export function readableText(read: (text: string) => unknown, form: string, format: string): Rule {
  const demand = `must be ${form}`;
  return ruleOf(
    { type: 'string', minLength: 1, format },
    (value) => {
      if (typeof value === 'string' && value !== '')
        return read(value) === undefined ? `${demand}; got another string` : undefined;
      return `${demand}; got ${shapeOf(value)}`;
    },
    { [format]: (written) => read(written) !== undefined },
  );
}

export const flag = ruleOf({ type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? undefined : `must be true or false; got ${shapeOf(value)}`,
);

export interface WholeNumberLimits {
  readonly min: number;
  readonly max: number;
}

/** Its spelling does not matter (`5.0`), a numeric string is none. */
export function wholeNumber({ min, max }: WholeNumberLimits): Rule {
  const demand = `must be a whole number from ${min} to ${max}`;
  return ruleOf({ type: 'integer', minimum: min, maximum: max }, (value) => {
    if (typeof value !== 'number' && !isRawNumber(value)) return `${demand}; got ${shapeOf(value)}`;
    const number = numberOf(value);
    return Number.isInteger(number) && number >= min && number <= max
      ? undefined
      : `${demand}; got another number`;
  });
}

/** A number that a double can hold; a numeric string is none. */
export function finiteNumber(limit?: NumberLimit): Rule {
  const min = limit?.min ?? Number.NEGATIVE_INFINITY;
  const demand = limit === undefined ? 'must be a number' : `must be a number of at least ${min}`;
  return ruleOf({ type: 'number', ...(limit !== undefined && { minimum: min }) }, (value) => {
    if (typeof value === 'number' || isRawNumber(value)) {
      const number = numberOf(value);
      if (Number.isFinite(number) && number >= min && !isTooSmallToTell(value, number)) return undefined;
    }
    return `${demand}; got ${shapeOf(value)}`;
  });
}

export type NumberRange =
  | { readonly min: number; readonly max: number }
  | {
      /** Not included, as is `below`. */
      readonly above: number;
      readonly below?: number;
    };

/** A number of a range, as a double holds it; a numeric string is none. */
export function numberWithin(range: NumberRange): Rule {
  const demand = `must be a number ${wordsOf(range)}`;
  return ruleOf({ type: 'number', ...boundsOf(range) }, (value) => {
    if (typeof value !== 'number' && !isRawNumber(value)) return `${demand}; got ${shapeOf(value)}`;
    const number = numberOf(value);
    if (isWithin(range, number) && !isTooSmallToTell(value, number)) return undefined;
    return `${demand}; got ${shapeOf(value)}`;
  });
}

/** In the words of JSON Schema. */
function boundsOf(range: NumberRange): JsonSchema {
  if ('min' in range) return { minimum: range.min, maximum: range.max };
  const { above, below } = range;
  return { exclusiveMinimum: above, ...(below !== undefined && { exclusiveMaximum: below }) };
}

function wordsOf(range: NumberRange): string {
  if ('min' in range) return `from ${range.min} to ${range.max}`;
  return range.below === undefined ? `above ${range.above}` : `above ${range.above} and below ${range.below}`;
}

function isWithin(range: NumberRange, number: number): boolean {
  if ('min' in range) return number >= range.min && number <= range.max;
  return number > range.above && number < (range.below ?? Number.POSITIVE_INFINITY);
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
  return ruleOf({ const: number }, (value) => {
    if (typeof value !== 'number' && !isRawNumber(value)) return `${demand}; got ${shapeOf(value)}`;
    return numberOf(value) === number ? undefined : `${demand}; got another number`;
  });
}

const DECIMAL = `must be a JSON number or a plain decimal string, of at most ${DECIMAL_DIGITS} digits before and after the point`;

/** Whatever is read exactly as a decimal; what it may be besides depends on other fields (currency, sign). */
export const decimal = ruleOf(
  {
    anyOf: [
      { type: 'number', exclusiveMinimum: -(10 ** DECIMAL_DIGITS), exclusiveMaximum: 10 ** DECIMAL_DIGITS },
      { type: 'string', pattern: `^-?0*\\d{1,${DECIMAL_DIGITS}}(\\.\\d{1,${DECIMAL_DIGITS}}0*)?$` },
    ],
  },
  (value) => (parseDecimal(value) === undefined ? `${DECIMAL}; got ${shapeOf(value)}` : undefined),
);

/**
 * Text of an exact form, named in words.
 * @throws Error for a pattern with flags, which JSON Schema has none for
 */
export function matching(pattern: RegExp, form: string): Rule {
  if (pattern.flags !== '') throw new Error(`The pattern of "${form}" has flags.`);
  const demand = `must be ${form}`;
  return ruleOf({ type: 'string', pattern: pattern.source }, (value) => {
    if (typeof value === 'string' && pattern.test(value)) return undefined;
    return typeof value === 'string' && value !== '' ? demand : `${demand}; got ${shapeOf(value)}`;
  });
}

export interface ListLimits {
  readonly min: number;
  readonly max: number;
}

/** The list as a whole; its items have a rule of their own. */
export function list({ min, max }: ListLimits): Rule {
  const demand = `must be an array of ${min} to ${max} items`;
  return ruleOf({ type: 'array', minItems: min, maxItems: max }, (value) =>
    Array.isArray(value) && value.length >= min && value.length <= max
      ? undefined
      : `${demand}; got ${shapeOf(value)}`,
  );
}
