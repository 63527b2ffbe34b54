import { isNativeError } from 'node:util/types';
import { activeSpans } from '@truetally/tracing';
import type pg from 'pg';
import { copyIn } from './copy-in.js';
import { hasSqlState } from './sql-state.js';

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
  /** Of the `copy … from stdin` among these statements. */
  readonly rows?: string;
  /** Statements that were sent and not waited for: the closing ones, which then begin with a `copy`, travel with them. */
  readonly sent?: readonly Promise<unknown>[];
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
  return inPipelinedTransaction<R, T>(pool, opening, async (client, opened) => work(client, await opened));
}

/** The same, whose work may send what it reads behind the opening, in the same round trip, on a pool that pipelines. */
export function inPipelinedTransaction<R extends pg.QueryResultRow, T>(
  pool: pg.Pool,
  opening: string,
  work: (client: pg.PoolClient, opened: Promise<readonly R[]>) => Promise<Closing<T>>,
): Promise<T> {
  return transact(pool, async (client) => {
    const opened = client.query(`begin; ${opening}`).then((begun: unknown) => rowsOfLast<R>(begun));
    const working = work(client, opened);
    await inOrder([opened, working]);
    const { value, closing, rows, sent = [] } = await working;
    const ending = closing === '' ? 'commit' : `${closing}; commit`;
    await inOrder([...sent, rows === undefined ? client.query(ending) : copyIn(client, ending, rows)]);
    return value;
  });
}

/** Statements of a transaction, one behind the other: where one fails, the later ones fail with it, and only its error says why. */
async function inOrder(sent: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(sent)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}

/** A whole transaction, with the rows of the `copy … from stdin` that is among its statements. */
export interface Trip {
  readonly opening: string;
  readonly closing: string;
  readonly rows: string;
}

/**
 * A hot transaction that asks nothing: all of it is one round trip.
 * @param plan undefined if it has to ask: then nothing is sent
 * @returns the rows of its opening
 */
export function inOneTrip<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  plan: (client: pg.PoolClient) => Trip | undefined,
): Promise<readonly R[] | undefined> {
  return transact(pool, async (client) => {
    const trip = plan(client);
    if (trip === undefined) return undefined;
    return copyIn<R>(client, `begin; ${trip.opening}; ${trip.closing}; commit`, trip.rows);
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
    broken ??= isUseless(error) ? error : await rollBack(client);
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

/** Said by the driver when Postgres has not answered for longer than a statement may take. */
const SILENT = 'Query read timeout';
const READ_ONLY = '25006';

/**
 * Whether the connection is to be discarded without a rollback: one over which Postgres is silent would keep that waiting
 * as long again, and one to a server that has become a standby would stay there.
 */
function isUseless(error: unknown): error is Error {
  return isNativeError(error) && (error.message === SILENT || hasSqlState(error, READ_ONLY));
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
