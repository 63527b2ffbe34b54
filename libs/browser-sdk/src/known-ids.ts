import type { Tools } from './client.js';
import { KNOWN_IDS } from './limits.js';

/** Adds ids to a list in the storage, whose newest are kept. */
export function remember({ store }: Pick<Tools, 'store'>, key: string, ...ids: readonly string[]): void {
  const all = new Set([...store.wordsOf(key), ...ids]);
  if (ids.length) store.write(key, [...all].slice(-KNOWN_IDS).join(' '));
}
