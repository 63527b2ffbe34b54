import { randomUUID } from 'node:crypto';

const ADOPTABLE = /^[A-Za-z0-9_-]{8,64}$/;

/** A caller's own `X-Request-Id` when it has the agreed shape; anything else is replaced (interface, section 1). */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && ADOPTABLE.test(header) ? header : randomUUID();
}
