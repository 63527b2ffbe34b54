import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { createPool, type PoolOptions } from './pool.js';
import { isTransient } from './transient.js';

/**
 * Every statement is an index read, and stays one: planned once for whatever values, without the plans that look cheap
 * while a table is small or its statistics are old (measured: a page of 50 in a catalogue that had just grown to 5,000
 * products was sorted out of all of them, and took four times as long until the statistics were made).
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
 * Runs statements of many callers over few connections of its own: what is asked for while others wait for their rows
 * travels with them, where a connection of its own would cost each of them two packets. For reads by an index, outside
 * of any transaction: whoever comes behind a slow one waits for it.
 */
export class SharedReader {
  private readonly pool: Pool;
  private readonly shares: (Share | undefined)[];

  constructor(options: Omit<PoolOptions, 'pipeline' | 'settings'>) {
    this.pool = createPool({ ...options, pipeline: true, settings: PLAN_BY_INDEX });
    this.shares = Array.from({ length: options.max }, () => undefined);
  }

  /** @throws what Postgres says; after a broken connection the next statement gets another */
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
      if (isTransient(error)) this.leave(share, error);
      throw error;
    } finally {
      share.users -= 1;
      if (share.users === 0) this.leave(share);
    }
  }

  /** Lets what is under way come to its end. */
  close(): Promise<void> {
    return this.pool.end();
  }

  private leastUsed(): Share {
    const usersOf = (at: number): number => this.shares[at]?.users ?? 0;
    const at = this.shares.reduce((least, _, index) => (usersOf(index) < usersOf(least) ? index : least), 0);
    return (this.shares[at] ??= { client: this.pool.connect(), users: 0, broken: undefined });
  }

  /** Nobody new gets it; the last to leave gives it back to the pool, which keeps none that is broken. */
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

/** One connection while somebody uses it. */
interface Share {
  readonly client: Promise<PoolClient>;
  users: number;
  broken: Error | undefined;
}
