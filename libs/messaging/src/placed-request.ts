import type { Result } from '@truetally/kernel';
import { UnreadableError } from './errors.js';
import type { IncomingRequest } from './wire.js';

interface PlacedRequest<T> {
  readonly request: T;
  /** The message of the log that brought it: by it a redelivered one is known again. */
  readonly place: { readonly partition: number; readonly offset: string };
}

/**
 * A request of a batch as its service decides it.
 * @param what the request is for, in the words of its dead letter
 * @throws UnreadableError for a message that is none of ours; the bus sets it aside
 */
export function placedRequest<T>(
  { value, partition, offset }: IncomingRequest,
  decode: (value: string) => Result<T, string>,
  what: string,
): PlacedRequest<T> {
  const decoded = decode(value);
  if (!decoded.ok) throw new UnreadableError(`Not a request to ${what}: ${decoded.error}.`);
  return { request: decoded.value, place: { partition, offset } };
}
