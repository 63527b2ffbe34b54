import { parseOwnJson } from '@truetally/kernel';
import pg from 'pg';
import { GatheringSocket } from './gathering-socket.js';

export interface PoolOptions {
  readonly url: string;
  readonly schema: string;
  readonly applicationName: string;
  /** Connections at once. */
  readonly max: number;
  readonly statementTimeoutMs?: number;
  /**
   * Statements of one client that are asked for at once go to Postgres at once, and cost one round trip together. Such a
   * pool knows no COPY and no cursors. Default: one after the other.
   */
  readonly pipeline?: boolean;
  /** Postgres' settings of its sessions, on top of the usual ones: `{ enable_sort: 'off' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** An idle connection that breaks (Postgres restarts) is reported here; the pool replaces it by itself. */
  readonly onIdleError?: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/**
 * A session that says nothing within a transaction for so long is ended with the locks that it holds: its process is
 * stopped or cut off, and others wait. As long as Kafka takes to give its requests to another.
 */
const SILENT_TRANSACTION_MS = 8_000;
const KEEP_ALIVE_DELAY_MS = 10_000;
/** A Postgres that has not said by then that a statement took too long says nothing at all any more. */
const SILENCE_MS = 5_000;
/** So that Postgres notices in half a minute, not in two hours, that our host is gone, and ends what its sessions hold. */
const KEEP_ALIVE = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  // What was sent to it and is not taken: a stopped process whose buffers are full, too.
  tcp_user_timeout: '10000',
};

/** Connections of a service's own role; unqualified names mean its schema. */
export function createPool(options: PoolOptions): pg.Pool {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
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
  // A connection may break in the very moment in which it is handed out, with nobody listening to it yet (one packet
  // says "ready" and "terminated"). Without a listener that ends the process; its first query reports it anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function sessionOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Columns of type `json` hold what was sent: no digit of a number is lost here either. */
const LOSSLESS_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.JSON ? parseOwnJson : pg.types.getTypeParser(type, format),
};

/** Whether Postgres answers now: for readiness, which says it when it does not. */
export async function isReachable(pool: pg.Pool): Promise<boolean> {
  try {
    await pool.query('select 1');
    return true;
  } catch {
    return false;
  }
}
