import type { Result } from '@truetally/kernel';
import { UnreadableError } from './errors.js';
import type { IncomingRequest } from './wire.js';

interface PlacedRequest<T> {
  readonly request: T;
  /** The same in each copy of the message, wherever it is in the log: it identifies a redelivered one. */
  readonly correlationId: string;
  /** Position of this copy in the log. */
  readonly place: { readonly partition: number; readonly offset: string };
}

/**
 * A request of a batch, parsed by its service.
 * @param what purpose of the request, used in its dead letter's reason
 * @throws UnreadableError for an invalid message; the bus dead-letters it
 */
export function placedRequest<T>(
  { value, correlationId, partition, offset }: IncomingRequest,
  decode: (value: string) => Result<T, string>,
  what: string,
): PlacedRequest<T> {
  const decoded = decode(value);
  if (!decoded.ok) throw new UnreadableError(`Not a request to ${what}: ${decoded.error}.`);
  return { request: decoded.value, correlationId, place: { partition, offset } };
}
