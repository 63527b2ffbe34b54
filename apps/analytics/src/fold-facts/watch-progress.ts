import { setTimeout as delay } from 'node:timers/promises';
import { CLICKHOUSE_GROUP } from '@truetally/contracts/analytics';
import { formatInstant } from '@truetally/kernel';
import type { GroupLag, Messaging } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { moveProgress } from '../storage/fold.store.js';
import { BY_CLICKHOUSE, nowOf } from '../storage/fact-progress.js';
import { FOLDING } from './fold-facts.js';
import { SampledProgress } from './sampled-progress.js';

const INTERVAL_MS = 3_000;
/** While nobody asks: what compares the tables with other services' does not ask the service (`verify-sums/unlike-rows.ts`). */
const IDLE_INTERVAL_MS = 30_000;
/** A report waits so long for it: Kafka, which has just told the question, answers within milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * A partition on which nothing is written is read up to now as well: only Kafka knows that nothing waits. Reports name
 * the moment up to which all partitions were read (`as_of`), so that a report looks; where nobody asks, it is looked now and then.
 */
export class ProgressWatch {
  private readonly ended = new AbortController();
  private readonly byClickHouse = new SampledProgress();
  private watching: Promise<void> | undefined;
  private looking: Promise<void> | undefined;
  private lookedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly messaging: Pick<Messaging, 'lag'>,
    private readonly pool: Pool,
    private readonly log: Pick<Logger, 'warn'>,
    private readonly withClickHouse = false,
  ) {}

  start(): this {
    // What ClickHouse reads is known by comparing one look with the next.
    this.watching = this.watch(this.withClickHouse ? INTERVAL_MS : IDLE_INTERVAL_MS);
    return this;
  }

  async close(): Promise<void> {
    this.ended.abort();
    await this.watching;
    await this.looking;
  }

  /** Before each report; the last look may be three seconds old. */
  async look(): Promise<void> {
    if (performance.now() - this.lookedMs < INTERVAL_MS || this.ended.signal.aborted) return;
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
    });
    await Promise.race([this.looking, delay(PATIENCE_MS, undefined, { ref: false })]);
  }

  private async watch(intervalMs: number): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      await this.look();
      await delay(intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async lookOnce(): Promise<void> {
    try {
      await this.move(await nowOf(this.pool));
      this.lookedMs = performance.now();
    } catch (error) {
      this.log.warn({ err: error }, 'The progress of facts could not be read; it is tried again.');
    }
  }

  private async move(nowMs: number): Promise<void> {
    await moveProgress(this.pool, readPartitions(await this.messaging.lag(FOLDING.group), nowMs));
    if (!this.withClickHouse) return;
    const read = this.byClickHouse.sample(await this.messaging.lag(CLICKHOUSE_GROUP), nowMs);
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
