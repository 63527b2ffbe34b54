import { holdsUnstorableNumber, nestsDeeperThan, STORABLE_DIGITS, toStorableJson } from '@truetally/kernel';
import type { Violation } from '../validation/compile-validator.js';
import { DROPPED_NAMES, TRUST_NAMES } from '../validation/dropped-names.js';
import { isJsonObject } from '../validation/shape.js';

export type Attributes = Readonly<Record<string, unknown>>;

const SIZES: ObjectSizes = { maxBytes: 8 * 1_024, maxNesting: 8 };
const NOT_STORED: ReadonlySet<string> = new Set([...DROPPED_NAMES, ...TRUST_NAMES]);
const NUMBER_TOO_LONG = `must not hold a number of more than ${STORABLE_DIGITS.whole} digits before the decimal point or ${STORABLE_DIGITS.fraction} after it`;

/** Bounds of an object whose names are the client's. */
export interface ObjectSizes {
  readonly maxBytes: number;
  readonly maxNesting: number;
}

/** Rules over all attributes of a product, whatever their names. The DTO checks that they are an object. */
export function attributeFaults(value: unknown): readonly Violation[] {
  return objectFaults(value, SIZES).map((message) => ({ path: 'attributes', message }));
}

/** Rules over an object whose names are the client's. Nothing else is judged. */
export function objectFaults(value: unknown, { maxBytes, maxNesting }: ObjectSizes): readonly string[] {
  if (!isJsonObject(value)) return [];
  const messages: string[] = [];
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) {
    messages.push(`must be at most ${maxBytes} bytes as JSON`);
  }
  if (nestsDeeperThan(value, maxNesting)) messages.push(`must not nest deeper than ${maxNesting} levels`);
  if (holdsUnstorableNumber(value)) messages.push(NUMBER_TOO_LONG);
  return messages;
}

/** Attributes that Postgres can store, without reserved names (interface page, sections 1 and 2). */
export function storableAttributes(attributes: Attributes): Attributes {
  return toStorableJson(attributes, NOT_STORED) as Attributes;
}
