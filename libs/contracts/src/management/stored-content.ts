import { isRawNumber, numberOf, toStorableText } from '@truetally/kernel';
import { DROPPED_NAMES } from '../validation/dropped-names.js';

/**
 * The stored form of a valid value: without absent members and reserved names, with texts that Postgres can
 * store, and with plain numbers.
 */
export function toStoredContent<T>(value: T): T {
  return stored(value) as T;
}

function stored(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isRawNumber(value)) return numberOf(value);
  if (Array.isArray(value)) return value.map(stored);
  const members = Object.entries(value)
    .filter(([name, member]) => member !== null && member !== undefined && !DROPPED_NAMES.has(name))
    .map(([name, member]) => [name, stored(member)] as const);
  return Object.fromEntries(members);
}
