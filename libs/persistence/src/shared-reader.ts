import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { isTransient } from './transient.js';

/**
 * Runs statements of many callers over few connections of a pool that pipelines: what is asked for while others wait
 * for their rows travels with them, where a connection of its own would cost each of them two packets. For reads by an
 * index, outside of any transaction: whoever comes behind a slow one waits for it.
 */
export class SharedReader {
  private readonly shares: (Share | undefined)[];

  constructor(
    private readonly pool: Pool,
    connections: number,
  ) {
    this.shares = Array.from({ length: connections }, () => undefined);
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
