import type { Result } from '@truetally/kernel';
import { UnreadableError } from '../errors.js';
import type { ReceivedFact } from './subscribe.js';

/** What is there after some facts of a compacted topic, and what has gone. */
export interface NewestFacts<T> {
  readonly there: ReadonlyMap<string, T>;
  readonly gone: readonly string[];
}

/**
 * The last fact of each key: by it alone is known what there is now.
 * @throws UnreadableError for a value that `read` refuses; the bus sets it aside
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
