import type { Result } from '@truetally/kernel';
import { UnreadableError } from '../errors.js';
import { incarnationOf } from './incarnation.js';
import type { ReceivedFact } from './subscribe.js';

/** What a fact tells about its key; null for a tombstone. */
export interface KeyState<T> {
  readonly key: string;
  readonly state: T | null;
  /** Of the database that it comes from (`Revision`). */
  readonly incarnation: number;
}

/**
 * The states that facts of a compacted topic tell, in their order. One that cannot be read is
 * left out where a later one of its key follows.
 * @throws UnreadableError for the last value of a key that `read` refuses; the bus dead-letters it
 */
export function statesOf<T>(
  facts: readonly Pick<ReceivedFact, 'headers' | 'key' | 'value'>[],
  topic: string,
  read: (text: string) => Result<T, string>,
): readonly KeyState<T>[] {
  const last = new Map(facts.map(({ key }, index) => [key, index]));
  return facts.flatMap(({ key, value, headers }, index): readonly KeyState<T>[] => {
    const incarnation = incarnationOf(headers);
    if (value === null) return [{ key, state: null, incarnation }];
    const record = read(value);
    if (record.ok) return [{ key, state: record.value, incarnation }];
    if (last.get(key) !== index) return [];
    throw new UnreadableError(`${topic}: ${record.error}`);
  });
}
