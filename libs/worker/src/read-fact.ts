import { createHash } from 'node:crypto';
import { incarnationOf, type ReceivedFact, UnreadableError } from '@truetally/messaging';
import { type FactName, type Facts, PUBLIC_TOPICS } from './facts.js';

/** A fact, and what identifies it among the facts of its topic. */
export interface ReadFact<Name extends FactName> {
  readonly id: string;
  /** 0 where its record names none. */
  readonly incarnation: number;
  readonly fact: Facts[Name];
}

/**
 * Reads a record tolerantly: unknown fields are left out.
 * @throws UnreadableError naming the fields that are missing or of another type
 */
export function readFact<Name extends FactName>(
  name: Name,
  { key, value, headers }: Pick<ReceivedFact, 'key' | 'value'> & Partial<Pick<ReceivedFact, 'headers'>>,
): ReadFact<Name> {
  const { topic, parse, idOf, mayBeGone } = PUBLIC_TOPICS[name];
  const incarnation = incarnationOf(headers);
  const stateId = (): string => hashOf(`${incarnation}\n${key}\n${value ?? ''}`);
  if (value === null) {
    if (mayBeGone !== true) throw new UnreadableError(`${topic}: a fact without a value`);
    return { id: stateId(), incarnation, fact: null as Facts[Name] };
  }
  const read = parse(value);
  if (!read.ok) throw new UnreadableError(`${topic}: ${read.error}`);
  return { id: idOf === undefined ? stateId() : idOf(read.value), incarnation, fact: read.value };
}

/**
 * A state may be told again with the same key and value; its version makes each of them different within an incarnation.
 * The same state in a later one is another: what came between is undone.
 */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
