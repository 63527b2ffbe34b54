import type { Result } from '@truetally/kernel';
import { UnreadableError } from '../errors.js';
import type { ReceivedFact } from './subscribe.js';

/** What a fact tells about its key; null for a tombstone. */
export interface KeyState<T> {
  readonly key: string;
  readonly state: T | null;
}

/**
 * The states that facts of a compacted topic tell, in their order. One that cannot be read is
 * left out where a later one of its key follows.
 * @throws UnreadableError for the last value of a key that `read` refuses; the bus dead-letters it
 */
export function statesOf<T>(
  facts: readonly Pick<ReceivedFact, 'key' | 'value'>[],
  topic: string,
  read: (text: string) => Result<T, string>,
): readonly KeyState<T>[] {
  const last = new Map(facts.map(({ key }, index) => [key, index]));
  return facts.flatMap(({ key, value }, index): readonly KeyState<T>[] => {
    if (value === null) return [{ key, state: null }];
    const record = read(value);
    if (record.ok) return [{ key, state: record.value }];
    if (last.get(key) !== index) return [];
    throw new UnreadableError(`${topic}: ${record.error}`);
  });
}
