import { EVENT_LIMITS } from '@truetally/contracts/events';
import { DROPPED_NAMES, TRUST_NAMES } from '@truetally/contracts/validation';
import { toStorableJson } from '@truetally/kernel';

type JsonObject = Readonly<Record<string, unknown>>;

/** An object of an event with its compact JSON text. */
export interface ObjectText {
  readonly value: JsonObject;
  readonly text: string;
}

const NOT_STORED: ReadonlySet<string> = new Set([...DROPPED_NAMES, ...TRUST_NAMES]);

/**
 * What `JSON.stringify` writes for U+0000, a lone surrogate or a dropped name. Each has only one spelling,
 * and quotes inside strings are escaped, so nothing is missed; an escaped backslash before `u0000` only costs
 * time.
 */
const MAY_NEED_CLEANING =
  /\\u(?:0000|d[89a-f])|"(?:__proto__|constructor|prototype|trust(?:_class|_level)?)":/;

/** The storable form (interface page, sections 1 and 2): the same object when it is clean. */
export function cleanObject(written: ObjectText): ObjectText {
  if (!MAY_NEED_CLEANING.test(written.text)) return written;
  const value = toStorableJson(written.value, NOT_STORED) as JsonObject;
  return { value, text: JSON.stringify(value) };
}

/** UTF-8 bytes, counted only when the number of UTF-16 units leaves it open. */
export function exceedsBytes(text: string, limit: number): boolean {
  return (
    text.length > limit || (text.length * MAX_UTF8_BYTES_PER_UNIT > limit && Buffer.byteLength(text) > limit)
  );
}

const MAX_UTF8_BYTES_PER_UNIT = 3;
/** `\u0001` for one unit. */
const MAX_ESCAPED_LENGTH = 6;
const LONGEST_OTHER_VALUE = 32;

/**
 * Whether the whole event, including unknown fields, exceeds its limit as compact JSON. Serialised only when
 * its parts could be too long together.
 * @param written texts of the fields `properties` and `context`
 */
export function isEventTooLarge(event: JsonObject, written: readonly ObjectText[]): boolean {
  let length = 0;
  for (const { text } of written) length += text.length;
  for (const name in event) {
    if (name !== 'properties' && name !== 'context')
      length += name.length * MAX_ESCAPED_LENGTH + longest(event[name]);
  }
  return (
    length * MAX_UTF8_BYTES_PER_UNIT > EVENT_LIMITS.eventBytes &&
    exceedsBytes(JSON.stringify(event), EVENT_LIMITS.eventBytes)
  );
}

function longest(value: unknown): number {
  if (typeof value === 'string') return value.length * MAX_ESCAPED_LENGTH;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : LONGEST_OTHER_VALUE;
}
