import type { Exchange } from '../http/exchange.js';
import type { Outcome } from './step.js';

const ADMIN_PATH = '/api/admin';

/** Refuses browsers on the platform's own routes, whatever their credential (interface page, section 11). */
export function keepBrowsersOut({ origin, path }: Exchange): Outcome {
  return origin !== undefined && path !== undefined && isAdmin(path)
    ? { name: 'browser-refused' }
    : undefined;
}

export function isAdmin(path: string): boolean {
  return path === ADMIN_PATH || path.startsWith(`${ADMIN_PATH}/`);
}
