import { inTransaction } from '@truetally/persistence';
import type { Pool } from 'pg';

export interface EmptierOptions {
  readonly pool: Pool;
  readonly retentionDays: number;
  readonly windowDays: number;
  readonly onEmptied: (tableName: string) => void;
}

/** A day of many events takes minutes, in which the client does not take Postgres for silent. */
const LONGEST_MS = 6 * 3_600_000;

/** Takes the content out of partitions whose keys are needed for longer (docs/decisions/deduplication.md). */
export class PartitionEmptier {
  private backend: number | undefined;
  private isStopped = false;

  constructor(private readonly options: EmptierOptions) {}

  /** One after the other, each in a transaction of its own, until none is old enough. */
  async run(): Promise<void> {
    const { retentionDays, windowDays, onEmptied } = this.options;
    if (retentionDays >= windowDays) return;
    for (let name = await this.next(); name !== null; name = await this.next()) onEmptied(name);
  }

  /** What is under way is rolled back: it would take longer than a stop may. */
  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.backend !== undefined)
      await this.options.pool.query('select pg_cancel_backend($1)', [this.backend]);
  }

  private next(): Promise<string | null> {
    if (this.isStopped) return Promise.resolve(null);
    const { pool, retentionDays, windowDays } = this.options;
    return inTransaction(pool, async (client) => {
      const begun = await client.query<{ pid: number }>(
        `select pg_backend_pid() as pid, set_config('statement_timeout', '0', true)`,
      );
      // Stopped before there was a statement to cancel.
      if (this.isStopped) return null;
      this.backend = begun.rows[0]?.pid;
      try {
        const asked = {
          text: 'select empty_partition($1, $2) as name',
          values: [retentionDays, windowDays],
          query_timeout: LONGEST_MS,
        };
        const { rows } = await client.query<{ name: string | null }>(asked);
        return rows[0]?.name ?? null;
      } finally {
        this.backend = undefined;
      }
    });
  }
}
