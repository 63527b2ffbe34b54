import { createHash } from 'node:crypto';
import { type ReceivedFact, UnreadableError } from '@truetally/messaging';
import { type FactName, type Facts, PUBLIC_TOPICS } from './facts.js';

/** A fact, and what identifies it among the facts of its topic. */
export interface ReadFact<Name extends FactName> {
  readonly id: string;
  readonly fact: Facts[Name];
}

/**
 * Reads a record tolerantly: unknown fields are left out.
 * @throws UnreadableError naming the fields that are missing or of another type
 */
export function readFact<Name extends FactName>(
  name: Name,
  { key, value }: Pick<ReceivedFact, 'key' | 'value'>,
): ReadFact<Name> {
  const { topic, parse, idOf, mayBeGone } = PUBLIC_TOPICS[name];
  if (value === null) {
    if (mayBeGone !== true) throw new UnreadableError(`${topic}: a fact without a value`);
    return { id: stateId(key, ''), fact: null as Facts[Name] };
  }
  const read = parse(value);
  if (!read.ok) throw new UnreadableError(`${topic}: ${read.error}`);
  return { id: idOf === undefined ? stateId(key, value) : idOf(read.value), fact: read.value };
}

/** A state is told again with the same key and value; its version makes each of them different. */
function stateId(key: string, value: string): string {
  return createHash('sha256').update(`${key}\n${value}`).digest('base64url');
}
