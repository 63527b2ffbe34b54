import { parseOwnJson } from '@truetally/kernel';
import pg from 'pg';

export interface PoolOptions {
  readonly url: string;
  readonly schema: string;
  readonly applicationName: string;
  /** Connections at once. */
  readonly max: number;
  readonly statementTimeoutMs?: number;
  /** An idle connection that breaks (Postgres restarts) is reported here; the pool replaces it by itself. */
  readonly onIdleError?: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

/** Connections of a service's own role; unqualified names mean its schema. */
export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types: LOSSLESS_TYPES,
    options: `-c search_path=${options.schema} -c timezone=UTC`,
  });
  pool.on('error', (error) => options.onIdleError?.(error));
  // A connection may break in the very moment in which it is handed out, with nobody listening to it yet (one packet
  // says "ready" and "terminated"). Without a listener that ends the process; its first query reports it anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
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

/** Runs `work` in one transaction; whatever it throws rolls everything back. */
export function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return transact(pool, 'begin', async (client) => ({ value: await work(client), closing: '' }));
}

/** What a hot transaction gives: its value, and statements that go to Postgres together with the commit. */
export interface Closing<T> {
  readonly value: T;
  /** SQL without parameters, or nothing. */
  readonly closing: string;
}

/**
 * A transaction for hot paths: its first statement travels with the `begin` and its last with the `commit`, which
 * saves two of their round trips.
 * @param opening one statement without parameters; its rows are given to `work`
 */
export function inHotTransaction<R extends pg.QueryResultRow, T>(
  pool: pg.Pool,
  opening: string,
  work: (client: pg.PoolClient, rows: readonly R[]) => Promise<Closing<T>>,
): Promise<T> {
  return transact(pool, `begin; ${opening}`, (client, begun) => work(client, rowsOfLast<R>(begun)));
}

async function transact<T>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient, begun: unknown) => Promise<Closing<T>>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    const begun: unknown = await client.query(begin);
    const { value, closing } = await work(client, begun);
    await client.query(closing === '' ? 'commit' : `${closing}; commit`);
    return value;
  } catch (error) {
    broken ??= await rollBack(client);
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** Several statements in one query have a list of results. */
function rowsOfLast<R extends pg.QueryResultRow>(results: unknown): readonly R[] {
  const last = (Array.isArray(results) ? results.at(-1) : results) as pg.QueryResult<R> | undefined;
  return last?.rows ?? [];
}

/** A connection that cannot even roll back is thrown away. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
