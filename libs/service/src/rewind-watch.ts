import { currentIncarnation, inTransaction, isRewound } from '@truetally/persistence';
import type { Logger, Metrics } from '@truetally/platform';
import type { Pool } from 'pg';

export interface RewindWatchOptions {
  readonly pool: Pool;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** How often a running process asks. */
const WATCH_MS = 5_000;

/**
 * Tells operators that the database was restored to an earlier point, and the service's readers of Kafka were not set back: what
 * they had read after that point is stored nowhere (docs/operations/restore.md).
 */
export class RewindWatch {
  private isMissing = false;
  private isStopped = false;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly options: RewindWatchOptions) {
    options.metrics.observed(
      'restored_without_rewind',
      'Whether the database was restored to an earlier point, and the readers of Kafka were not set back (1) or not (0).',
      () => Number(this.isMissing),
    );
  }

  /** Waits for nothing: whether Postgres answers is a matter of readiness. */
  start(): void {
    this.running = this.look().finally(() => {
      if (!this.isStopped) this.timer = setTimeout(() => this.start(), WATCH_MS);
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async look(): Promise<void> {
    const { log } = this.options;
    try {
      const wasMissing = this.isMissing;
      this.isMissing = !(await this.isRewound());
      if (this.isMissing && !wasMissing) {
        log.error(
          'Postgres is another one than before, or was restored to an earlier point, and requests since then were ' +
            'not read again: stop the services and run "npm run restored" (docs/operations/restore.md).',
        );
      }
      if (!this.isMissing && wasMissing) log.info('The restore of Postgres is complete.');
    } catch (error) {
      log.warn({ err: error }, 'Whether Postgres was restored is not known; it is asked again.');
    }
  }

  private async isRewound(): Promise<boolean> {
    const { pool } = this.options;
    if (await isRewound(pool)) return true;
    return (await inTransaction(pool, (client) => currentIncarnation(client))).isRewound;
  }
}
