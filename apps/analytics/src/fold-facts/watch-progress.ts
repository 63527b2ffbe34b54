import { setTimeout as delay } from 'node:timers/promises';
import { formatInstant } from '@truetally/kernel';
import type { GroupLag, Messaging } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { moveProgress } from '../storage/fold.store.js';
import { CLICKHOUSE_GROUP } from '../clickhouse/clickhouse-schema.js';
import { BY_CLICKHOUSE } from '../storage/fact-progress.js';
import { FOLDING } from './fold-facts.js';
import { SampledProgress } from './sampled-progress.js';

const INTERVAL_MS = 3_000;

/**
 * A partition on which nothing is written is read up to now as well: only Kafka knows that nothing waits. Reports name
 * the moment up to which all partitions were read (`as_of`).
 */
export class ProgressWatch {
  private readonly ended = new AbortController();
  private readonly byClickHouse = new SampledProgress();
  private watching = Promise.resolve();

  constructor(
    private readonly messaging: Pick<Messaging, 'lag'>,
    private readonly pool: Pool,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly withClickHouse = false,
  ) {}

  start(): this {
    this.watching = this.watch();
    return this;
  }

  async close(): Promise<void> {
    this.ended.abort();
    await this.watching;
  }

  private async watch(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      try {
        await this.look(Date.now());
      } catch (error) {
        this.log.warn({ err: error }, 'The progress of facts could not be read; it is tried again.');
      }
      await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(nowMs: number): Promise<void> {
    await moveProgress(this.pool, readPartitions(await this.messaging.lag(FOLDING.group), nowMs));
    if (!this.withClickHouse) return;
    const sampledMs = Date.now();
    const read = this.byClickHouse.sample(await this.messaging.lag(CLICKHOUSE_GROUP), sampledMs);
    await moveProgress(
      this.pool,
      read.map(({ topic, partition, readMs }) => ({
        topic: `${BY_CLICKHOUSE}${topic}`,
        partition,
        readUntil: formatInstant(readMs),
      })),
    );
  }
}

function readPartitions(lags: readonly GroupLag[], nowMs: number) {
  const readUntil = formatInstant(nowMs);
  return lags.flatMap(({ topic, partition, lag }) => (lag === 0 ? [{ topic, partition, readUntil }] : []));
}
