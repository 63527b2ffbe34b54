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
import { isJsonObject, isLongerThan, shapeOf, textShapeOf } from './shape.js';

/**
 * A rule over one value: undefined when it holds, otherwise what is required and the type of the value
 * received. Messages are answered and logged, so they never contain the value.
 */
export interface Rule {
  (value: unknown): string | undefined;
  /** The same rule in JSON Schema: both accept the same values. */
  readonly schema: JsonSchema;
  /** The meaning of the schema's `format`, where a pattern cannot express it. */
  readonly formats: Formats;
}

/** The part of JSON Schema 2020-12 that rules use. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A check per format name. */
export type Formats = Readonly<Record<string, (text: string) => boolean>>;

/** A rule from a schema and the check that means the same. */
export function ruleOf(
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

/** Free text, may be empty: `document.referrer` often is. */
export function text({ max }: TextLimit): Rule {
  const demand = `must be a string of at most ${max} characters`;
  return ruleOf({ type: 'string', maxLength: max }, (value) =>
    typeof value === 'string' && !isLongerThan(value, max) ? undefined : `${demand}; got ${shapeOf(value)}`,
  );
}

/** Free text that is not empty. U+0000 and lone surrogates are replaced, not refused. */
export function nonEmptyText({ max }: TextLimit): Rule {
  const demand = `must be a non-empty string of at most ${max} characters`;
  return ruleOf({ type: 'string', minLength: 1, maxLength: max }, (value) =>
    typeof value === 'string' && value !== '' && !isLongerThan(value, max)
      ? undefined
      : `${demand}; got ${shapeOf(value)}`,
  );
}

/** An id or a member of a fixed list: replacing a character would change its identity, so it is refused. */
export function identifier({ max }: TextLimit): Rule {
  const isText = nonEmptyText({ max });
  return ruleOf(
    { ...isText.schema, pattern: STORABLE_PATTERN },
    (value) => isText(value) ?? (isStorableText(String(value)) ? undefined : UNSTORABLE),
  );
}

/** Patterns match code points (ECMA-262, flag `u`), so that this refuses only unpaired surrogates. */
const STORABLE_PATTERN = '^[^\\u0000\\ud800-\\udfff]*$';
export const UNSTORABLE = 'must not contain U+0000 or an unpaired surrogate';

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

/** A URL that pages render as a link. */
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

/** Generators of clients take an object that names no members for one that has none. */
export const jsonObject = ruleOf({ type: 'object', additionalProperties: true }, (value) =>
  isJsonObject(value) ? undefined : `must be an object; got ${shapeOf(value)}`,
);

export function oneOf(allowed: readonly string[]): Rule {
  const known: ReadonlySet<unknown> = new Set(allowed);
  const demand = `must be one of ${allowed.join(', ')}`;
  return ruleOf({ type: 'string', enum: allowed }, (value) => {
    if (known.has(value)) return undefined;
    if (typeof value !== 'string') return `${demand}; got ${shapeOf(value)}`;
    const isNearlyOne = known.has(value.trim().toLowerCase());
    return `${demand}; got ${isNearlyOne ? 'one of them in another spelling' : textShapeOf(value)}`;
  });
}

export interface NumberLimit {
  readonly min: number;
}

/** A display name: white space alone is refused. */
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

/** Characters that hide where a text begins or ends, or turn its direction: control characters, line separators, marks. */
const HIDING = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff';
const PLAIN_NAME = `^(?!.*://)(?=.*\\S)[^${HIDING}]*$`;
const PLAIN = new RegExp(PLAIN_NAME, 'u');

/** A display name that strangers read beside texts of ours: one line, in its own direction, without a link. */
export function plainName({ max }: TextLimit): Rule {
  const isName = namingText({ max });
  const demand = 'must be one line without a link, control characters and marks of direction';
  return ruleOf(
    { ...isName.schema, pattern: PLAIN_NAME },
    (value) => isName(value) ?? (PLAIN.test(String(value)) ? undefined : demand),
  );
}

/** Text that `read` accepts. `form` completes "must be …"; `format` is its unique name in schemas. */
export function readableText(read: (text: string) => unknown, form: string, format: string): Rule {
  const demand = `must be ${form}`;
  return ruleOf(
    { type: 'string', minLength: 1, format },
    (value) => {
      if (typeof value === 'string' && value !== '')
        return read(value) === undefined ? `${demand}; got ${textShapeOf(value)}` : undefined;
      return `${demand}; got ${shapeOf(value)}`;
    },
    { [format]: (written) => read(written) !== undefined },
  );
}

export const flag = ruleOf({ type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? undefined : `must be true or false; got ${shapeOf(value)}`,
);

const MAX_SCALARS = 100;
const SCALAR_OR_LIST = `must be a text, a number, true or false, or an array of at most ${MAX_SCALARS} of them`;
const SCALARS: readonly JsonSchema[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

export const scalarOrList = ruleOf(
  { anyOf: [...SCALARS, { type: 'array', minItems: 0, maxItems: MAX_SCALARS, items: { anyOf: SCALARS } }] },
  (value) =>
    isScalar(value) || (Array.isArray(value) && value.length <= MAX_SCALARS && value.every(isScalar))
      ? undefined
      : `${SCALAR_OR_LIST}; got ${shapeOf(value)}`,
);

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || isRawNumber(value);
}

export interface WholeNumberLimits {
  readonly min: number;
  readonly max: number;
}

/** Any spelling is accepted (`5.0`), a numeric string is not. */
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

/** A number that a double can represent; a numeric string is refused. */
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
      /** Exclusive, like `below`. */
      readonly above: number;
      readonly below?: number;
    };

/** A number in a range, as a double; a numeric string is refused. */
export function numberWithin(range: NumberRange): Rule {
  const demand = `must be a number ${wordsOf(range)}`;
  return ruleOf({ type: 'number', ...boundsOf(range) }, (value) => {
    if (typeof value !== 'number' && !isRawNumber(value)) return `${demand}; got ${shapeOf(value)}`;
    const number = numberOf(value);
    if (isWithin(range, number) && !isTooSmallToTell(value, number)) return undefined;
    return `${demand}; got ${shapeOf(value)}`;
  });
}

/** As JSON Schema keywords. */
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

/** Below zero, but so close that a double is zero: `-1e-400`. */
function isTooSmallToTell(value: number | RawNumber, number: number): boolean {
  return Object.is(number, -0) && typeof value !== 'number' && NOT_ZERO.test(value.rawJSON);
}

/** A digit of the number itself, not of its exponent. */
const NOT_ZERO = /^-[0.]*[1-9]/;

/** The only accepted number: a version. Any spelling is accepted (`1.0`), a numeric string is not. */
export function exactly(number: number): Rule {
  const demand = `must be the number ${number}`;
  return ruleOf({ const: number }, (value) => {
    if (typeof value !== 'number' && !isRawNumber(value)) return `${demand}; got ${shapeOf(value)}`;
    return numberOf(value) === number ? undefined : `${demand}; got another number`;
  });
}

const DECIMAL = `must be a JSON number or a plain decimal string, of at most ${DECIMAL_DIGITS} digits before and after the point`;

/** Any exact decimal; its further rules depend on other fields (currency, sign). */
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
 * Text that matches a pattern, which `form` describes.
 * @throws Error for a pattern with flags, which JSON Schema does not support
 */
export function matching(pattern: RegExp, form: string): Rule {
  if (pattern.flags !== '') throw new Error(`The pattern of "${form}" has flags.`);
  const demand = `must be ${form}`;
  return ruleOf({ type: 'string', pattern: pattern.source }, (value) => {
    if (typeof value !== 'string') return `${demand}; got ${shapeOf(value)}`;
    return pattern.test(value) ? undefined : `${demand}; got ${textShapeOf(value)}`;
  });
}

export interface ListLimits {
  readonly min: number;
  readonly max: number;
}

/** The list itself; its items have their own rule. */
export function list({ min, max }: ListLimits): Rule {
  const demand = `must be an array of ${min} to ${max} items`;
  return ruleOf({ type: 'array', minItems: min, maxItems: max }, (value) =>
    Array.isArray(value) && value.length >= min && value.length <= max
      ? undefined
      : `${demand}; got ${shapeOf(value)}`,
  );
}
