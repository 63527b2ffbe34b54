import { holdsUnstorableNumber, nestsDeeperThan, STORABLE_DIGITS, toStorableJson } from '@truetally/kernel';
import type { Violation } from '../validation/compile-validator.js';
import { DROPPED_NAMES, TRUST_NAMES } from '../validation/dropped-names.js';
import { isJsonObject } from '../validation/shape.js';

export type Attributes = Readonly<Record<string, unknown>>;

const MAX_BYTES = 8 * 1_024;
const MAX_NESTING = 8;
const NOT_STORED: ReadonlySet<string> = new Set([...DROPPED_NAMES, ...TRUST_NAMES]);
const TOO_LARGE = `must be at most ${MAX_BYTES} bytes as JSON`;
const TOO_DEEP = `must not nest deeper than ${MAX_NESTING} levels`;
const NUMBER_TOO_LONG = `must not hold a number of more than ${STORABLE_DIGITS.whole} digits before the decimal point or ${STORABLE_DIGITS.fraction} after it`;

/** Rules over all attributes of a product, whatever their names. The DTO checks that they are an object. */
export function attributeFaults(value: unknown): readonly Violation[] {
  if (!isJsonObject(value)) return [];
  const messages: string[] = [];
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES) messages.push(TOO_LARGE);
  if (nestsDeeperThan(value, MAX_NESTING)) messages.push(TOO_DEEP);
  if (holdsUnstorableNumber(value)) messages.push(NUMBER_TOO_LONG);
  return messages.map((message) => ({ path: 'attributes', message }));
}

/** Attributes that Postgres can store, without reserved names (interface page, sections 1 and 2). */
export function storableAttributes(attributes: Attributes): Attributes {
  return toStorableJson(attributes, NOT_STORED) as Attributes;
}
