import type { Result } from '@truetally/kernel';
import { UnreadableError } from '../errors.js';
import type { ReceivedFact } from './subscribe.js';

/** The state after some facts of a compacted topic: current values and deleted keys. */
export interface NewestFacts<T> {
  readonly there: ReadonlyMap<string, T>;
  readonly gone: readonly string[];
}

/**
 * Keeps the last fact of each key, which alone defines its state.
 * @throws UnreadableError for a value that `read` refuses; the bus dead-letters it
 */
export function newestOf<T>(
  facts: readonly Pick<ReceivedFact, 'key' | 'value'>[],
  topic: string,
  read: (text: string) => Result<T, string>,
): NewestFacts<T> {
  const newest = new Map(facts.map(({ key, value }) => [key, value]));
  const there = new Map<string, T>();
  const gone: string[] = [];
  for (const [key, value] of newest) {
    if (value === null) {
      gone.push(key);
      continue;
    }
    const record = read(value);
    if (!record.ok) throw new UnreadableError(`${topic}: ${record.error}`);
    there.set(key, record.value);
  }
  return { there, gone };
}
