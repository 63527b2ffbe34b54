import { formatAddress, toStorableText } from '@truetally/kernel';
import { DEAD_LETTER_HEADER } from './dead-letters.js';
import { type ReceivedFact } from './facts/subscribe.js';
import { REASON_CHARACTERS } from './limits.js';
import { HEADER } from './wire.js';

/** The description of a dead letter, without the message's content. */
export interface DeadLetter {
  /** Where the letter is on the dead-letter topic. */
  readonly letter: { readonly partition: number; readonly offset: number };
  /** When it was dead-lettered, in epoch milliseconds. */
  readonly atMs: number;
  /** Origin of the message, without prefix: its address (a topic, or `<topic>/<operation>`), and the group. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** When it was first written; the dead letter's own time where that is unknown. */
  readonly writtenMs: number;
  readonly group: string;
  readonly reason: string;
  readonly attempts: number;
  readonly requestId: string | undefined;
}

/** Reads any record of the dead-letter topic, also a foreign one. Never throws. */
export function readDeadLetter(fact: ReceivedFact): DeadLetter {
  const { headers } = fact;
  const saying = (name: keyof typeof DEAD_LETTER_HEADER): string => textOf(headers[DEAD_LETTER_HEADER[name]]);
  const requestId = textOf(headers[HEADER.requestId]);
  return {
    letter: { partition: fact.partition, offset: Number(fact.offset) },
    atMs: fact.timestampMs,
    topic: addressOf(saying('topic'), textOf(headers[HEADER.operation])),
    partition: numberOf(saying('partition')) ?? fact.partition,
    offset: numberOf(saying('offset')) ?? Number(fact.offset),
    writtenMs: numberOf(saying('timestamp')) ?? fact.timestampMs,
    group: saying('group'),
    reason: saying('reason'),
    attempts: Math.min(numberOf(saying('attempts')) ?? 0, MAX_ATTEMPTS),
    requestId: requestId === '' ? undefined : requestId,
  };
}

function addressOf(topic: string, operation: string): string {
  return formatAddress(operation === '' ? { topic } : { topic, operation });
}

const MAX_ATTEMPTS = 1_000_000;
const WHOLE_NUMBER = /^\d{1,15}$/;

function textOf(value = ''): string {
  return toStorableText(value).slice(0, REASON_CHARACTERS);
}

function numberOf(value: string): number | undefined {
  return WHOLE_NUMBER.test(value) ? Number(value) : undefined;
}
