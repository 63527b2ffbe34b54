import type { Exchange } from '../http/exchange.js';
import type { Outcome } from './step.js';

const ADMIN_PATH = '/api/admin';

/** The platform's own routes are never for a page, whatever it brings (interface page, section 11). */
export function keepBrowsersOut({ origin, path }: Exchange): Outcome {
  return origin !== undefined && path !== undefined && isAdmin(path)
    ? { name: 'browser-refused' }
    : undefined;
}

export function isAdmin(path: string): boolean {
  return path === ADMIN_PATH || path.startsWith(`${ADMIN_PATH}/`);
}
