import { isPoison } from '@truetally/kernel';
import { REASON_CHARACTERS } from './limits.js';

/**
 * A dependency is unavailable (a database restarts, a lock timed out): the batch is retried with backoff for
 * as long as it takes, and nothing of it is dead-lettered. The same holds for any error that is not the
 * message's fault (`isFaultOfMessage`); this class states it for the error that it wraps.
 */
export class TransientError extends Error {
  override readonly name = 'TransientError';
}

/** The message is unreadable and retries are useless: it is dead-lettered at once. */
export class UnreadableError extends Error {
  override readonly name: string = 'UnreadableError';
}

/**
 * Whether the message is at fault: then it is dead-lettered, while every other error is retried until it
 * succeeds.
 */
export function isFaultOfMessage(error: unknown): boolean {
  if (error instanceof TransientError) return false;
  return error instanceof UnreadableError || error instanceof UndeliverableError || isPoison(error);
}

/** The bus was closed before Kafka acknowledged. */
export class MessagingClosedError extends Error {
  override readonly name = 'MessagingClosedError';
}

/** The broker will never accept this message: it is too large, or its topic does not exist. */
export class UndeliverableError extends Error {
  override readonly name = 'UndeliverableError';
}

/** The protocol error inside the driver's wrappers: `MESSAGE_TOO_LARGE`, `UNKNOWN_TOPIC_OR_PARTITION`, … */
export function protocolErrorType(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if ('type' in current && typeof current.type === 'string') return current.type;
    current = current.cause;
  }
  return undefined;
}

const MAX_CAUSES = 5;

/** Kafka's errors for a missing topic that the user may describe. */
export const UNKNOWN_TOPIC = 'UNKNOWN_TOPIC_OR_PARTITION';

/** This machine's clock is too far ahead of the brokers': another process may send the message, or this one later. */
export const WRONG_CLOCK = 'INVALID_TIMESTAMP';

/** Retries are useless: one of the messages is at fault. */
const REFUSED: ReadonlySet<string> = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TOPIC_EXCEPTION',
]);

/** Whether the broker will never accept the message, however often it is sent. */
export function isRefused(error: unknown): boolean {
  const type = protocolErrorType(error);
  return type !== undefined && REFUSED.has(type);
}

/** One line for a log or a dead letter's header, with the error's causes. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth++) {
    parts.push(
      current instanceof Error
        ? `${current.name}: ${current.message}${partsOf(current)}`
        : messageOf(current),
    );
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join(' <- ').replaceAll(/\s+/g, ' ').slice(0, REASON_CHARACTERS);
}

/** For an error about many items, the fault of the first one: which topic, for example. */
function partsOf(error: Error): string {
  if (!('errors' in error) || !Array.isArray(error.errors)) return '';
  const told = (error.errors as readonly unknown[]).slice(0, MAX_PARTS).map((part) => {
    const topic = typeof part === 'object' && part !== null && 'topic' in part ? String(part.topic) : '';
    return `${protocolErrorType(part) ?? messageOf(part)} ${topic}`.trim();
  });
  return ` (${told.join(', ')})`;
}

const MAX_PARTS = 3;

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return String(error);
}
