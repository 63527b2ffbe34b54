import { isNativeError } from 'node:util/types';

/** Whether Postgres refused a statement with this SQLSTATE (appendix A of its manual, or one that a function of ours raises). */
export function hasSqlState(error: unknown, sqlState: string): boolean {
  return isNativeError(error) && 'code' in error && error.code === sqlState;
}
