import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';

/**
 * An id from the path of a route. Gateways always send it: without it a statement would silently find
 * nothing.
 * @throws UnreadableError if the message lacks it, which makes it invalid
 */
export function paramOf(params: ResourceCommand['params'], name: string): string {
  const param = params[name];
  if (param === undefined) throw new UnreadableError(`The message names no ${name}.`);
  return param;
}
