import { activeSpans } from '@truetally/tracing';
import type pg from 'pg';

/** Runs `work` in one transaction; any error rolls it back. */
export function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return transact(pool, async (client) => {
    await client.query('begin');
    const value = await work(client);
    await client.query('commit');
    return value;
  });
}

/** The outcome of a hot transaction: its value, and statements that are sent together with the commit. */
export interface Closing<T> {
  readonly value: T;
  /** SQL without parameters, or empty. */
  readonly closing: string;
}

/**
 * A transaction for hot paths: its first statement is sent with the `begin` and its last with the `commit`,
 * which saves two round trips. An opening has several statements (settings, locks, a query) and no parameters,
 * so that one simple query carries it; a command's first statement has parameters (`PipelinedBegin`).
 * @param opening statements without parameters; `work` receives the rows of the last one
 */
export function inHotTransaction<R extends pg.QueryResultRow, T>(
  pool: pg.Pool,
  opening: string,
  work: (client: pg.PoolClient, rows: readonly R[]) => Promise<Closing<T>>,
): Promise<T> {
  return transact(pool, async (client) => {
    const begun: unknown = await client.query(`begin; ${opening}`);
    const { value, closing } = await work(client, rowsOfLast<R>(begun));
    await client.query(closing === '' ? 'commit' : `${closing}; commit`);
    return value;
  });
}

const ONE_INSTANT = 'set transaction isolation level repeatable read, read only';

/** Runs queries that all see the same instant. The setting is sent together with the `begin`. */
export function inSnapshot<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return inHotTransaction(pool, ONE_INSTANT, async (client) => ({ value: await work(client), closing: '' }));
}

/** Lends `work` a client; an error rolls back whatever it has begun. */
export async function transact<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const endSpan = activeSpans()?.begin('postgres transaction', { 'db.system.name': 'postgresql' });
  try {
    const value = await withClient(pool, work);
    endSpan?.();
    return value;
  } catch (error) {
    endSpan?.(error instanceof Error ? error.name : 'error');
    throw error;
  }
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    return await work(client);
  } catch (error) {
    broken ??= await rollBack(client);
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** Several statements in one query return a list of results. */
function rowsOfLast<R extends pg.QueryResultRow>(results: unknown): readonly R[] {
  const last = (Array.isArray(results) ? results.at(-1) : results) as pg.QueryResult<R> | undefined;
  return last?.rows ?? [];
}

/** A connection that cannot roll back is discarded. */
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
