import type { Tools } from './client.js';
import { KNOWN_IDS } from './limits.js';

/** Adds ids to a list in the storage, whose newest are kept. */
export function remember(
  { store, prefix }: Pick<Tools, 'store' | 'prefix'>,
  name: string,
  ...ids: readonly string[]
): void {
  const key = prefix + name;
  const all = new Set([...store.wordsOf(key), ...ids]);
  if (ids.length) store.set(key, [...all].slice(-KNOWN_IDS).join(' '));
}
