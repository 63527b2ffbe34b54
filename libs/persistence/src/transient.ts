import { isNativeError } from 'node:util/types';

/** SQLSTATE classes: connection exception, insufficient resources, operator intervention (shutdown, crash). */
const TRANSIENT_CLASSES = ['08', '53', '57'];
/** Serialization failure, deadlock, lock not available, and a read-only standby after a failover. */
const TRANSIENT_STATES = ['40001', '40P01', '55P03', '25006'];
const SYSTEM_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
];
/** node-postgres reports a lost connection by message only. */
const LOST_CONNECTION =
  /connection terminated|connection ended|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|query read timeout/i;

/** Whether the same statement may succeed later without any change: the database is away, busy or was in conflict. */
export function isTransient(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isTransient);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (SYSTEM_CODES.includes(code) || TRANSIENT_STATES.includes(code)) return true;
  if (code.length === 5 && TRANSIENT_CLASSES.includes(code.slice(0, 2))) return true;
  return LOST_CONNECTION.test(error.message);
}
