import { isRawNumber } from './raw-number.js';

/** Whether Postgres and JSON can both store the text: no U+0000 and no lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The text with U+FFFD in place of each U+0000 and each lone surrogate (interface page, section 1). */
export function toStorableText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd').toWellFormed() : text.toWellFormed();
}

/**
 * A storable copy of a JSON value: texts and names are made storable, the named members are dropped at any
 * depth. If two names become equal, the later member wins.
 */
export function toStorableJson(value: unknown, droppedNames: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) return value.map((item) => toStorableJson(item, droppedNames));
  const members = Object.entries(value)
    .filter(([name]) => !droppedNames.has(name))
    .map(([name, member]) => [toStorableText(name), toStorableJson(member, droppedNames)] as const);
  return Object.fromEntries(members);
}

/** Digits that Postgres' `numeric`, and so `jsonb`, can store. */
export const STORABLE_DIGITS = { whole: 131_072, fraction: 16_383 } as const;

/** Whether any number in a JSON value is too long, or its exponent too large, for Postgres. */
export function holdsUnstorableNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isRawNumber(value)) return !isStorableNumber(value.rawJSON);
  if (Array.isArray(value)) return value.some(holdsUnstorableNumber);
  const object = value as Readonly<Record<string, unknown>>;
  for (const name in object) {
    if (holdsUnstorableNumber(object[name])) return true;
  }
  return false;
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

function isStorableNumber(source: string): boolean {
  const [, whole = '', fraction = '', power = '0'] = NUMBER.exec(source) ?? [];
  const exponent = Number(power);
  return (
    whole.length + exponent <= STORABLE_DIGITS.whole && fraction.length - exponent <= STORABLE_DIGITS.fraction
  );
}

/** Whether a value has more than `limit` nested objects and arrays; stops at the limit. */
export function nestsDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (limit === 0) return !isRawNumber(value);
  if (Array.isArray(value)) return value.some((item) => nestsDeeperThan(item, limit - 1));
  const object = value as Readonly<Record<string, unknown>>;
  for (const name in object) {
    if (nestsDeeperThan(object[name], limit - 1)) return true;
  }
  return false;
}
