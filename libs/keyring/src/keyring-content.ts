import { randomBytes } from 'node:crypto';
import { fail, formatInstant, parseInstant, type Result, succeed } from '@truetally/kernel';

/** Content of a keyring file. Keys are 32 bytes in base64. */
export interface KeyringContent {
  /** Id of the sealing key. */
  readonly current: string;
  /** Every opening key, by id. */
  readonly keys: Readonly<Record<string, string>>;
  /** Key of the keyed hash that matches equal values. It never changes (docs/decisions/click-values.md). */
  readonly matching_key: string;
  /** Set during a rotation: id of the key that finally seals everything. */
  readonly rotating_to?: string;
  /** When a key stopped sealing, by id: ISO 8601 UTC. */
  readonly superseded?: Readonly<Record<string, string>>;
}

export const KEY_BYTES = 32;
/** Enough for monthly rotation with keys kept for a year. */
export const MAX_KEYS = 32;
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/** Reads a keyring; never throws. The error names members and ids, never a key. */
export function parseKeyring(text: string): Result<KeyringContent, string> {
  const value = parseObject(text);
  if (value === undefined) return fail('is not a JSON object');
  const { current, matching_key, rotating_to } = value;
  const keys = isObject(value['keys']) ? Object.entries(value['keys']) : [];
  const fault =
    faultOfKeys(keys) ??
    (isKey(matching_key) ? undefined : 'matching_key must be 32 bytes in base64') ??
    (isIdOf(keys, current) ? undefined : 'current must be the id of one of its keys') ??
    (rotating_to === undefined || isIdOf(keys, rotating_to)
      ? undefined
      : 'rotating_to must be the id of one of its keys') ??
    faultOfSuperseded(keys, value['superseded']) ??
    faultOfRepeatedKeys([...keys.map(([, key]) => key), matching_key]);
  return fault === undefined ? succeed(value as unknown as KeyringContent) : fail(fault);
}

/** A new keyring with one key. */
export function newKeyring(nowMs: number): KeyringContent {
  const { id, key } = newKey(nowMs);
  return { current: id, keys: { [id]: key }, matching_key: randomBytes(KEY_BYTES).toString('base64') };
}

/** @returns a fresh key, and an id with its date */
export function newKey(nowMs: number): { readonly id: string; readonly key: string } {
  const day = formatInstant(nowMs).slice(0, 'YYYY-MM-DD'.length);
  return {
    id: `${day}-${randomBytes(ID_BYTES).toString('hex')}`,
    key: randomBytes(KEY_BYTES).toString('base64'),
  };
}

const ID_BYTES = 4;

function faultOfKeys(keys: readonly (readonly [string, unknown])[]): string | undefined {
  if (keys.length === 0 || keys.length > MAX_KEYS) return `keys must hold 1 to ${MAX_KEYS} keys`;
  if (keys.some(([id]) => !KEY_ID.test(id))) return 'a key id must match ^[A-Za-z0-9._-]{1,64}$';
  const broken = keys.find(([, key]) => !isKey(key));
  return broken === undefined ? undefined : `keys.${broken[0]} must be 32 bytes in base64`;
}

function faultOfSuperseded(
  keys: readonly (readonly [string, unknown])[],
  superseded: unknown,
): string | undefined {
  if (superseded === undefined) return undefined;
  if (!isObject(superseded)) return 'superseded must be an object';
  const broken = Object.entries(superseded).find(
    ([id, at]) => !isIdOf(keys, id) || typeof at !== 'string' || parseInstant(at) === undefined,
  );
  return broken === undefined ? undefined : 'superseded must give a time to ids of its keys';
}

/** One key under two ids, or for two purposes, is a mistake in the file. */
function faultOfRepeatedKeys(keys: readonly unknown[]): string | undefined {
  return new Set(keys).size === keys.length ? undefined : 'holds the same key twice';
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // The parser's message would quote the file.
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && BASE64_OF_32_BYTES.test(value);
}

function isIdOf(keys: readonly (readonly [string, unknown])[], id: unknown): boolean {
  return keys.some(([known]) => known === id);
}
