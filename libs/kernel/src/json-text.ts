import { findDuplicateMember } from './json-members.js';
import { findSyntaxError } from './json-syntax.js';
import { fail, type Result, succeed } from './result.js';

/** What a JSON text says. Numbers that a double would change are `RawNumber`s. */
export interface JsonReading {
  readonly value: unknown;
}

/** Why a text is not read. `message` names positions, paths and limits, never what the text holds besides. */
export interface JsonFault {
  readonly kind: 'empty' | 'syntax' | 'duplicate-member' | 'too-deep';
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
    return fail({ kind: 'too-deep', message: `must not nest deeper than ${JSON_NESTING_LIMIT} levels` });
  }
  if (mostMembersIn(text) !== members) {
    const path = findDuplicateMember(text);
    if (path !== undefined) {
      return fail({ kind: 'duplicate-member', message: `names the member ${path} twice`, path });
    }
  }
  return succeed({ value: mayHoldLongNumber(value, text) ? JSON.parse(text, keepNumberText) : value });
}

/**
 * Reads what `JSON.stringify` wrote here, of a value that `readJson` gave once: no digit of a number is lost either,
 * and what else `readJson` looks for cannot be in it. A page of products costs half as much as by `readJson`.
 * @throws SyntaxError for what is not JSON
 */
export function parseOwnJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return mayHoldLongNumber(value, text) ? JSON.parse(text, keepNumberText) : value;
}

const TOO_DEEP = -1;

/** Members of all objects in a value, or `TOO_DEEP`: the recursion ends at the limit, however deep the value is. */
function countMembers(value: unknown, levelsLeft: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levelsLeft === 0) return TOO_DEEP;
  if (Array.isArray(value)) return countItems(value, levelsLeft);
  const object = value as Readonly<Record<string, unknown>>;
  let count = 0;
  // What JSON.parse made inherits no enumerable name, and this loop allocates nothing.
  for (const name in object) {
    const inner = countMembers(object[name], levelsLeft - 1);
    if (inner === TOO_DEEP) return TOO_DEEP;
    count += 1 + inner;
  }
  return count;
}

function countItems(items: readonly unknown[], levelsLeft: number): number {
  let count = 0;
  for (const item of items) {
    const inner = countMembers(item, levelsLeft - 1);
    if (inner === TOO_DEEP) return TOO_DEEP;
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

const EXPONENT = /[eE]/;

/**
 * Numbers whose shortest spelling as a double is their own are left to be doubles. An exponent is kept too: `1e400`
 * has no double, and `1e20` would grow to 21 characters, past a limit that the text had kept.
 */
function keepNumberText(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  const { source } = context;
  if (typeof value !== 'number' || source === undefined) return value;
  const isKept = EXPONENT.test(source) || (source.length > SAFE_NUMBER_LENGTH && String(value) !== source);
  return isKept ? JSON.rawJSON(source) : value;
}

/** 15 significant digits always survive a double. */
const SAFE_NUMBER_LENGTH = 15;

function syntaxFault(text: string): JsonFault {
  if (text.trim() === '') return { kind: 'empty', message: 'is empty where JSON is expected' };
  const position = findSyntaxError(text) ?? text.length;
  return { kind: 'syntax', message: `is not valid JSON at position ${position}` };
}
