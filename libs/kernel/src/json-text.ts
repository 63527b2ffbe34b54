import { findDuplicateMember } from './json-members.js';
import { type JsonBoundFault, JsonReader } from './json-reader.js';
import { findSyntaxError } from './json-syntax.js';
import { fail, type Result, succeed } from './result.js';

/** What a JSON text says. Numbers that a double would change are `RawNumber`s. */
export interface JsonReading {
  readonly value: unknown;
}

/** Why a text is not read. `message` names positions, paths and limits, never what the text holds besides. */
export interface JsonFault {
  readonly kind:
    'empty' | 'syntax' | 'duplicate-member' | 'too-deep' | 'too-many-members' | 'too-many-numbers';
  readonly message: string;
  /** Path of the member that is named twice, e.g. `context.page_url` or `events.3.session_id`. */
  readonly path?: string;
}

/**
 * Objects and arrays inside one another. Far above every rule of the interface page (`properties`: 8), so that an
 * item that breaks a rule fails alone in its batch, and far below what recursion here and in V8 can bear.
 */
export const JSON_NESTING_LIMIT = 256;

/**
 * Reads JSON strictly: native `JSON.parse`, and beyond it no member named twice (also not by way of escapes), no
 * nesting that a walk could not bear, and no digit of a number lost. An ordinary text pays one or two microseconds
 * more than `JSON.parse`: each of the three checks is a cheap test that sends only doubtful texts the slow way.
 */
export function readJson(text: string): Result<JsonReading, JsonFault> {
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
  if (mostMembersIn(text) !== members) {
    const path = findDuplicateMember(text);
    if (path !== undefined) {
      return fail({ kind: 'duplicate-member', message: `names the member ${path} twice`, path });
    }
  }
  return mayHoldLongNumber(value, text) ? readLossless(text) : succeed({ value });
}

/** Numbers that are kept as their text cost more than others; a conversion of 500 lines has 4,000. */
export const JSON_KEPT_NUMBERS_LIMIT = 10_000;
/** Of one object: whoever judges its names has work with each. An event of 64 KiB has no room for more. */
export const JSON_MEMBERS_LIMIT = 10_000;

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
const TOO_MANY_MEMBERS_FAULT: JsonFault = {
  kind: 'too-many-members',
  message: `must not hold an object of more than ${JSON_MEMBERS_LIMIT} members`,
};

/**
 * Reads what `JSON.stringify` wrote here, of a value that `readJson` gave once: no digit of a number is lost either,
 * and what else `readJson` looks for cannot be in it. A page of products costs half as much as by `readJson`.
 * @throws SyntaxError for what is not JSON
 */
export function parseOwnJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayHoldLongNumber(value, text) ? new JsonReader(text, OWN_BOUNDS).read() : value;
}

/** What we wrote ourselves has passed every bound. */
const OWN_BOUNDS = { nesting: Infinity, keptNumbers: Infinity };

const TOO_DEEP = -1;
const TOO_MANY = -2;

/** Members of all objects in a value, or `TOO_DEEP` or `TOO_MANY`: the recursion ends at the limit, however deep the value is. */
function countMembers(value: unknown, levelsLeft: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levelsLeft === 0) return TOO_DEEP;
  if (Array.isArray(value)) return countItems(value, levelsLeft);
  const object = value as Readonly<Record<string, unknown>>;
  let count = 0;
  let own = 0;
  // What JSON.parse made inherits no enumerable name, and this loop allocates nothing.
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
 * Never less than the members that the text writes: each ends its name with a quote and a colon, and what looks so
 * inside a string can only add. So when the value holds as many members as this, none was named twice.
 */
function mostMembersIn(text: string): number {
  if (QUOTE_SPACE_COLON.test(text)) return text.match(ANY_QUOTE_COLON)?.length ?? 0;
  let count = 0;
  for (let at = text.indexOf('":'); at !== -1; at = text.indexOf('":', at + 2)) count += 1;
  return count;
}

/**
 * A number of 16 or more characters, or with an exponent, where a member or item may stand; a string that looks so
 * costs only time. No part of it can be matched in two ways, so that it takes time in proportion to the text.
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
