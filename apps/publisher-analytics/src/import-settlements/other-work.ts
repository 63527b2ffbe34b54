import type { ClientBase } from 'pg';

/** An import alone makes some ten a step, and the services at rest ten a second; a merchant at its usual pace makes a hundred. */
const ALONE_COMMITS_PER_SECOND = 60;
/** Connections tell their commits once a second. */
const OVER_MS = { least: 1_500, most: 3_000 };
const MS_PER_SECOND = 1_000;

const COMMITS = `
  select (xact_commit + xact_rollback)::float8 as commits from pg_stat_database where datname = current_database()`;

interface Count {
  readonly atMs: number;
  readonly commits: number;
}

/**
 * Whether the database has work of others: an import then leaves half of the time to them, and is as fast as it can
 * otherwise. The database counts the transactions of all services, of which this one sees only its own requests.
 */
export class OtherWork {
  private counts: readonly Count[] = [];

  /** @param monotonicMs milliseconds of a monotonic clock */
  constructor(private readonly monotonicMs: () => number) {}

  /** Over the last seconds; true until they are known. To be asked in each step. */
  async isThere(client: Pick<ClientBase, 'query'>): Promise<boolean> {
    const { rows } = await client.query<{ commits: number }>(COMMITS);
    const now = { atMs: this.monotonicMs(), commits: rows[0]?.commits ?? Infinity };
    this.counts = [...this.counts.filter(({ atMs }) => now.atMs - atMs <= OVER_MS.most), now];
    const [first = now] = this.counts;
    const ms = now.atMs - first.atMs;
    if (ms < OVER_MS.least) return true;
    return ((now.commits - first.commits) * MS_PER_SECOND) / ms > ALONE_COMMITS_PER_SECOND;
  }
}
