import { holdsMoreObjectsThan } from './json-characters.js';
import { CompactWalk, type JsonCut, type JsonTexts } from './json-compact.js';
import { findDuplicateMember } from './json-members.js';
import { type JsonBoundFault, JsonReader } from './json-reader.js';
import { JsonRepeats } from './json-repeats.js';
import { findSyntaxError } from './json-syntax.js';
import { fail, type Result, succeed } from './result.js';

/** The value of a JSON text. Numbers that a double would change are `RawNumber`s. */
export interface JsonReading {
  readonly value: unknown;
  /** By place in the list, 0 for the whole: what was cut, where the text is as `JSON.stringify` writes it. */
  readonly texts?: readonly (JsonTexts | undefined)[];
}

/** Why a text was refused. `message` names positions, paths and limits, and nothing else of the text. */
export interface JsonFault {
  readonly kind:
    | 'empty'
    | 'syntax'
    | 'duplicate-member'
    | 'too-deep'
    | 'too-many-members'
    | 'too-many-numbers'
    | 'too-many-objects';
  readonly message: string;
  /** Path of the repeated member, e.g. `context.page_url` or `events.3.session_id`. */
  readonly path?: string;
}

/**
 * Nested objects and arrays. Far above every rule of the interface page (`properties`: 8), so that an item
 * that breaks a rule fails alone in its batch, and far below the recursion depth that we and V8 support.
 */
export const JSON_NESTING_LIMIT = 256;

/**
 * Reads JSON strictly: like native `JSON.parse`, but refuses repeated members (also written with escapes) and
 * excessive nesting, and keeps every digit of a number. A text as `JSON.stringify` writes it is walked over once; in
 * others each of the three checks is a cheap test, and only doubtful texts take the slow path.
 * @param cut members whose texts are wanted
 */
export function readJson(text: string, cut?: JsonCut): Result<JsonReading, JsonFault> {
  if (holdsMoreObjectsThan(mostObjectsIn(text), text)) return fail(TOO_MANY_OBJECTS_FAULT);
  const brief = cut?.repeated === undefined ? undefined : readWithoutRepeats(text, cut);
  if (brief !== undefined) return succeed(brief);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail(syntaxFault(text));
  }
  const members = countMembers(value, JSON_NESTING_LIMIT);
  if (members === TOO_DEEP) {
    return fail(TOO_DEEP_FAULT);
  }
  if (members === TOO_MANY) return fail(TOO_MANY_MEMBERS_FAULT);
  const walk = new CompactWalk(text, cut);
  if (walk.run() && walk.members === members) return succeed({ value, texts: walk.texts });
  if (mostMembersIn(text) !== members) {
    const path = findDuplicateMember(text);
    if (path !== undefined) {
      return fail({ kind: 'duplicate-member', message: `names the member ${path} twice`, path });
    }
  }
  return mayHoldLongNumber(value, text) ? readLossless(text) : succeed({ value });
}

/** Undefined for a text that needs another look, for whatever reason. */
function readWithoutRepeats(text: string, cut: JsonCut): JsonReading | undefined {
  const repeats = JsonRepeats.in(text, cut);
  if (repeats === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(repeats.rest);
  } catch {
    return undefined;
  }
  const members = countMembers(value, JSON_NESTING_LIMIT);
  if (members < 0) return undefined;
  const walk = new CompactWalk(repeats.rest, cut);
  if (!walk.run() || walk.members !== members) return undefined;
  const items = (value as Readonly<Record<string, unknown>>)[cut.listName ?? ''];
  return Array.isArray(items) && repeats.putBack(items, walk.texts)
    ? { value, texts: walk.texts }
    : undefined;
}

/** Numbers that are kept as text cost more than others. A conversion of 500 lines has 4,000. */
export const JSON_KEPT_NUMBERS_LIMIT = 10_000;
/** Per object: validating each name takes time. An event of 64 KiB has no room for more. */
export const JSON_MEMBERS_LIMIT = 10_000;
/**
 * Maximum number of objects and arrays in a text, whatever its length. Two bytes create one, at fifty times the cost of two
 * bytes of a string.
 */
export const JSON_OBJECTS_LIMIT = 15_000;
/**
 * From this many characters for each object on, a longer text may have more: lines of orders and attributes of products are
 * longer. Those of a mebibyte take a quarter more time at worst than 15,000 of the dearest do beside other content.
 */
const JSON_CHARACTERS_PER_OBJECT = 24;
/** As a text of a mebibyte: no body that may be longer needs more. */
const JSON_OBJECTS_MAXIMUM = 1_048_576 / JSON_CHARACTERS_PER_OBJECT;

function mostObjectsIn(text: string): number {
  const byLength = Math.min(JSON_OBJECTS_MAXIMUM, text.length / JSON_CHARACTERS_PER_OBJECT);
  return Math.max(JSON_OBJECTS_LIMIT, Math.floor(byLength));
}

function readLossless(text: string): Result<JsonReading, JsonFault> {
  const reader = new JsonReader(text, { nesting: JSON_NESTING_LIMIT, keptNumbers: JSON_KEPT_NUMBERS_LIMIT });
  const value = reader.read();
  return reader.fault === undefined ? succeed({ value }) : fail(BOUND_FAULTS[reader.fault]);
}

const TOO_DEEP_FAULT: JsonFault = {
  kind: 'too-deep',
  message: `must not nest deeper than ${JSON_NESTING_LIMIT} levels`,
};
const BOUND_FAULTS: Readonly<Record<JsonBoundFault, JsonFault>> = {
  'too-deep': TOO_DEEP_FAULT,
  'too-many-numbers': {
    kind: 'too-many-numbers',
    message: `must not hold more than ${JSON_KEPT_NUMBERS_LIMIT} numbers with an exponent or of more than 15 digits`,
  },
};
const TOO_MANY_OBJECTS_FAULT: JsonFault = {
  kind: 'too-many-objects',
  message: `must not hold more than ${JSON_OBJECTS_LIMIT} objects and arrays, or one in ${JSON_CHARACTERS_PER_OBJECT} characters`,
};
const TOO_MANY_MEMBERS_FAULT: JsonFault = {
  kind: 'too-many-members',
  message: `must not hold an object of more than ${JSON_MEMBERS_LIMIT} members`,
};

/**
 * Parses JSON that this product wrote with `JSON.stringify` from a value of `readJson`. It keeps every digit,
 * and skips the checks that such a text always passes. For a page of products it takes half the time of
 * `readJson`.
 * @throws SyntaxError for invalid JSON
 */
export function parseOwnJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayHoldLongNumber(value, text) ? new JsonReader(text, OWN_BOUNDS).read() : value;
}

/** Our own output has passed every bound. */
const OWN_BOUNDS = { nesting: Infinity, keptNumbers: Infinity };

const TOO_DEEP = -1;
const TOO_MANY = -2;

/**
 * Number of members of all objects in a value, or `TOO_DEEP` or `TOO_MANY`. The recursion stops at the limit.
 */
function countMembers(value: unknown, levelsLeft: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levelsLeft === 0) return TOO_DEEP;
  if (Array.isArray(value)) return countItems(value, levelsLeft);
  const object = value as Readonly<Record<string, unknown>>;
  let count = 0;
  let own = 0;
  // Objects of JSON.parse inherit no enumerable name, and this loop allocates nothing.
  for (const name in object) {
    const inner = countMembers(object[name], levelsLeft - 1);
    if (inner < 0) return inner;
    own += 1;
    if (own > JSON_MEMBERS_LIMIT) return TOO_MANY;
    count += 1 + inner;
  }
  return count;
}

function countItems(items: readonly unknown[], levelsLeft: number): number {
  let count = 0;
  for (const item of items) {
    const inner = countMembers(item, levelsLeft - 1);
    if (inner < 0) return inner;
    count += inner;
  }
  return count;
}

const QUOTE_SPACE_COLON = /"[ \t\r\n]+:/;
const ANY_QUOTE_COLON = /"[ \t\r\n]*:/g;

/**
 * An upper bound of the members in the text: each name ends with a quote and a colon, and the same characters
 * inside strings only add to the count. If the value has as many members, none was repeated.
 */
function mostMembersIn(text: string): number {
  if (QUOTE_SPACE_COLON.test(text)) return text.match(ANY_QUOTE_COLON)?.length ?? 0;
  let count = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) count += 1;
  return count;
}

/**
 * A number of 16 or more characters, or with an exponent, where a member or item may be; matches inside
 * strings only cost time. No part can match in two ways, so that matching takes linear time.
 */
const MAY_HOLD_LONG_NUMBER = /[:,[](?:-|\s+-?)?\d(?:[\d.]{15}|[\d.]*[eE])/;

function mayHoldLongNumber(value: unknown, text: string): boolean {
  return typeof value === 'object' ? MAY_HOLD_LONG_NUMBER.test(text) : typeof value === 'number';
}

function syntaxFault(text: string): JsonFault {
  if (text.trim() === '') return { kind: 'empty', message: 'is empty where JSON is expected' };
  const position = findSyntaxError(text) ?? text.length;
  return { kind: 'syntax', message: `is not valid JSON at position ${position}` };
}
