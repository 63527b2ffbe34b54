import { RpcException } from '@nestjs/microservices';
import { isPoison } from '@truetally/kernel';
import { REASON_CHARACTERS } from './limits.js';

/**
 * A dependency is away (a database restarts, a lock was not to be had): the batch is retried with backoff for as
 * long as it takes, and nothing of it is dead-lettered. So is any error that is not the message's own fault
 * (`isFaultOfMessage`); this one says so of whatever it wraps. It is an RpcException that names itself as its error,
 * because that is what Nest's filter lets through; anything else it would flatten to "Internal server error".
 */
export class TransientError extends RpcException {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message);
    this.name = 'TransientError';
    if (options.cause !== undefined) this.cause = options.cause;
  }

  override getError(): this {
    return this;
  }
}

/** No further try can make this message readable: it goes to the dead letters at once. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** Whether the message is to blame: it goes to the dead letters, while all else is tried again until it succeeds. */
export function isFaultOfMessage(error: unknown): boolean {
  if (error instanceof TransientError) return false;
  return error instanceof UnreadableError || error instanceof UndeliverableError || isPoison(error);
}

/** The bus was closed before Kafka had acknowledged. */
export class MessagingClosedError extends Error {
  override readonly name = 'MessagingClosedError';
}

/** The broker will never take this message: too large, or its topic does not exist. */
export class UndeliverableError extends Error {
  override readonly name = 'UndeliverableError';
}

/** The protocol error below the driver's wrappers: `MESSAGE_TOO_LARGE`, `UNKNOWN_TOPIC_OR_PARTITION`, … */
export function protocolErrorType(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth++) {
    if ('type' in current && typeof current.type === 'string') return current.type;
    current = current.cause;
  }
  return undefined;
}

const MAX_CAUSES = 5;

/** What no repetition helps: one of the messages is to blame. */
const REFUSED: ReadonlySet<string> = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'INVALID_TOPIC_EXCEPTION',
]);

/** Whether the broker will never take what it was sent, however often it is sent. */
export function isRefused(error: unknown): boolean {
  const type = protocolErrorType(error);
  return type !== undefined && REFUSED.has(type);
}

/** One line for a log or a dead letter's header, with what lies behind the error. */
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

/** Of an error for many things, what was wrong with the first of them: which topics, for example. */
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
