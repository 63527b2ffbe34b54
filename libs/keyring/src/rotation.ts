import { fail, formatInstant, parseInstant, type Result, succeed } from '@truetally/kernel';
import { type KeyringContent, MAX_KEYS } from './keyring-content.js';

/**
 * The steps of a rotation, each a change of the file: stage, promote, end. The file itself tells the next
 * step, so that any process can continue an interrupted rotation.
 */

/**
 * Adds a key that opens but does not seal yet, so that every process can read it before any writes with it.
 */
export function stageKey(
  content: KeyringContent,
  { id, key }: { readonly id: string; readonly key: string },
): Result<KeyringContent, string> {
  if (content.rotating_to !== undefined) return fail('a rotation is under way');
  if (Object.keys(content.keys).length >= MAX_KEYS) {
    return fail(`the ring holds ${MAX_KEYS} keys: retire some first`);
  }
  return succeed({ ...content, keys: { ...content.keys, [id]: key }, rotating_to: id });
}

/** The staged key seals from now on. Unchanged content if it does already. */
export function promoteKey(content: KeyringContent, nowMs: number): KeyringContent {
  const { rotating_to, current, superseded } = content;
  if (rotating_to === undefined || rotating_to === current) return content;
  return {
    ...content,
    current: rotating_to,
    superseded: { ...superseded, [current]: formatInstant(nowMs) },
  };
}

/** Everything is sealed with the new key. */
export function endRotation({ current, keys, matching_key, superseded }: KeyringContent): KeyringContent {
  return { current, keys, matching_key, ...(superseded === undefined ? {} : { superseded }) };
}

/** Ids of keys that have not sealed for that long: no value that they sealed can still be in transit. */
export function retirableKeys(content: KeyringContent, nowMs: number, keepMs: number): readonly string[] {
  return Object.entries(content.superseded ?? {})
    .filter(([id]) => id !== content.current && id !== content.rotating_to)
    .filter(([, at]) => nowMs - (parseInstant(at)?.epochMs ?? nowMs) >= keepMs)
    .map(([id]) => id);
}

/** Removes keys from the ring: values that they sealed can no longer be opened. */
export function retireKeys(content: KeyringContent, ids: readonly string[]): KeyringContent {
  if (ids.includes(content.current)) throw new Error('The key that seals is never retired.');
  const without = (entries: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(entries).filter(([id]) => !ids.includes(id)));
  return { ...content, keys: without(content.keys), superseded: without(content.superseded ?? {}) };
}
