import { parseOwnJson } from '@truetally/kernel';
import pg from 'pg';
import { ARRAY_PARSERS } from './array-parser.js';
import { connectionOf } from './connection.js';
import { GatheringSocket } from './gathering-socket.js';
import { GuardedClient } from './guarded-client.js';

/** How a pool connects to Postgres, and its bounds. */
export interface PoolOptions {
  readonly url: string;
  readonly schema: string;
  readonly applicationName: string;
  /** Maximum number of connections. */
  readonly max: number;
  readonly statementTimeoutMs?: number;
  /**
   * Concurrent statements of one client are sent to Postgres together, in one round trip. Such a pool
   * supports neither COPY nor the driver's cursors. Default: one after the other.
   */
  readonly pipeline?: boolean;
  /** Postgres settings of its sessions, in addition to the usual ones: `{ enable_sort: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Receives errors of idle connections (Postgres restarts); the pool replaces them itself. */
  readonly onIdleError?: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/**
 * A session that is idle in a transaction for this long is terminated, which releases its locks: its process
 * is stopped or disconnected, and others wait. As long as Kafka takes to reassign its requests.
 */
const SILENT_TRANSACTION_MS = 8_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/** If Postgres has not reported a statement timeout by then, it is unresponsive. */
const SILENCE_MS = 5_000;
/**
 * Makes Postgres detect in half a minute, not in two hours, that our host is down, and terminate its
 * sessions.
 */
const KEEP_ALIVE = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  // Covers data that was sent but not acknowledged, such as to a stopped process with full buffers.
  tcp_user_timeout: '10000',
};

/** Connections of a service's own role; unqualified names resolve to its schema. */
export function createPool(options: PoolOptions): pg.Pool {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    ...connectionOf(options.url),
    Client: GuardedClient,
    max: options.max,
    // What looks for work every half a minute would log in each time, which costs both sides some milliseconds.
    min: 1,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SILENCE_MS,
    idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types: LOSSLESS_TYPES,
    ...(options.pipeline === true ? { pipeline: true, stream: () => new GatheringSocket() } : {}),
    options: sessionOptions({
      search_path: options.schema,
      timezone: 'UTC',
      ...KEEP_ALIVE,
      ...options.settings,
    }),
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  return pool;
}

function sessionOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Columns of type `json` keep what was sent: no digit of a number is lost here either. */
const LOSSLESS_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.JSON
      ? parseOwnJson
      : (ARRAY_PARSERS.get(type) ?? pg.types.getTypeParser(type, format)),
};

/** Whether Postgres answers now. Readiness reports it if it does not. */
export async function isReachable(pool: pg.Pool): Promise<boolean> {
  try {
    await pool.query('select 1');
    return true;
  } catch {
    return false;
  }
}
