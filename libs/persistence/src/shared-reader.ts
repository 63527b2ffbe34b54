import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { createPool, type PoolOptions } from './pool.js';
import { hasSqlState } from './sql-state.js';
import { isTransient } from './transient.js';

/**
 * Every statement is an index read and must stay one: it is planned a single time for all values, without
 * plans that look cheap while a table is small or its statistics are old. Measured: in a catalogue that had
 * just grown to 5,000 products, a page of 50 was sorted out of all of them, and took four times as long until
 * the statistics were updated.
 */
const PLAN_BY_INDEX = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
  enable_incremental_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/**
 * Runs statements of many callers over a few connections of its own: statements that are issued while others
 * wait for their rows share their packets, where separate connections would cost each caller two packets. For
 * index reads outside of transactions: a caller behind a slow statement waits for it.
 */
export class SharedReader {
  private readonly pool: Pool;
  private readonly shares: (Share | undefined)[];

  constructor(options: Omit<PoolOptions, 'pipeline' | 'settings'>) {
    this.pool = createPool({ ...options, pipeline: true, settings: PLAN_BY_INDEX });
    this.shares = Array.from({ length: options.max }, () => undefined);
  }

  /** @throws Postgres' error; after a broken connection the next statement gets a new one */
  async query<R extends QueryResultRow>(
    statement: QueryConfig | string,
    values?: unknown[],
  ): Promise<QueryResult<R>> {
    const share = this.leastUsed();
    share.users += 1;
    try {
      const client = await share.client;
      return await client.query<R>(statement, values);
    } catch (error) {
      if (isTransient(error) && !isCancelled(error)) this.leave(share, error);
      throw error;
    } finally {
      share.users -= 1;
      if (share.users === 0) this.leave(share);
    }
  }

  /** Waits for statements in progress. */
  close(): Promise<void> {
    return this.pool.end();
  }

  private leastUsed(): Share {
    const usersOf = (at: number): number => this.shares[at]?.users ?? 0;
    const at = this.shares.reduce((least, _, index) => (usersOf(index) < usersOf(least) ? index : least), 0);
    return (this.shares[at] ??= { client: this.pool.connect(), users: 0, broken: undefined });
  }

  /** It gets no new users; the last one returns it to the pool, which discards broken ones. */
  private leave(share: Share, error?: unknown): void {
    if (error !== undefined) share.broken = error instanceof Error ? error : new Error(String(error));
    const at = this.shares.indexOf(share);
    if (at >= 0) this.shares[at] = undefined;
    if (share.users > 0) return;
    void share.client.then(
      (client) => client.release(share.broken),
      () => undefined,
    );
  }
}

/**
 * Postgres has ended a statement that took too long, and the connection is as good as before: while others wait there, its
 * place in the pool is taken, so that those who came after it would get none.
 */
function isCancelled(error: unknown): boolean {
  return hasSqlState(error, QUERY_CANCELLED);
}

const QUERY_CANCELLED = '57014';

/** A connection in use. */
interface Share {
  readonly client: Promise<PoolClient>;
  users: number;
  broken: Error | undefined;
}
