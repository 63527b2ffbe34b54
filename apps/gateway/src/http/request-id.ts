import { randomUUID } from 'node:crypto';

const ADOPTABLE = /^[A-Za-z0-9_-]{8,64}$/;

/** The caller's `X-Request-Id` if it has the agreed form, otherwise a new one (interface page, section 1). */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && ADOPTABLE.test(header) ? header : randomUUID();
}
