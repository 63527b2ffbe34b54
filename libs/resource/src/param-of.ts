import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';

/**
 * An id that the path of a route names. It is there in whatever a gateway asks: without it a statement would look for
 * nothing, and find nothing.
 * @throws UnreadableError where the message lacks it: it is no request of this kind
 */
export function paramOf(params: ResourceCommand['params'], name: string): string {
  const param = params[name];
  if (param === undefined) throw new UnreadableError(`The message names no ${name}.`);
  return param;
}
