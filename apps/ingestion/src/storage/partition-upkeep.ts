import { TRAIL_DAYS } from '@truetally/contracts/events';
import { REMEMBERED_DAYS } from '@truetally/kernel';
import type { Pool } from 'pg';
import { PartitionEmptier } from './partition-emptier.js';
import type { PartitionCatalog } from './partition-catalog.js';
import type { PartitionFilters } from './partition-filters.js';

export interface UpkeepOptions {
  readonly pool: Pool;
  readonly catalog: PartitionCatalog;
  readonly filters: PartitionFilters;
  readonly partitionSeconds: number;
  readonly retentionDays: number;
  readonly windowDays: number;
  readonly onError: (error: unknown) => void;
  readonly onDropped: (tableName: string) => void;
  /** The content of a partition is gone; its keys stay. */
  readonly onEmptied: (tableName: string) => void;
}

/** Number of partitions that are created in advance. */
const PARTITIONS_AHEAD = 2;
const INTERVAL_MS = 30_000;
/** Four checks per partition: partitions of seconds exist in tests only. */
const LOOKS_PER_PARTITION = 4;
const RETRY_MS = 1_000;
const TIDY_INTERVAL_MS = 3_600_000;
const MAX_FORGOTTEN_AT_ONCE = 10_000;
const MAX_STEPS_PER_TIDY = 100;
const MS_PER_SECOND = 1_000;

/**
 * Maintains the partitions in the background: creates them ahead, computes their filters, and drops the
 * oldest.
 */
export class PartitionUpkeep {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;
  private tidyAtMs = 0;
  private preparedMs = 0;

  private readonly emptier: PartitionEmptier;
  private emptying: Promise<void> | undefined;

  constructor(private readonly options: UpkeepOptions) {
    this.emptier = new PartitionEmptier(options);
  }

  /** When partitions were last made ahead, in epoch seconds; 0 before the first time. */
  get preparedAtSeconds(): number {
    return this.preparedMs / MS_PER_SECOND;
  }

  /** Before the first event: partitions exist, and every computed filter is in memory. */
  async prepare(): Promise<void> {
    const { pool, catalog, filters, partitionSeconds } = this.options;
    await pool.query('select ensure_partitions($1, $2)', [partitionSeconds, PARTITIONS_AHEAD]);
    await catalog.refresh(pool);
    await filters.readMade();
    this.preparedMs = Date.now();
  }

  start(): void {
    this.running = this.look();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
    await this.emptier.stop();
    await this.emptying;
  }

  private async look(): Promise<void> {
    let pauseMs = Math.min(
      INTERVAL_MS,
      (this.options.partitionSeconds * MS_PER_SECOND) / LOOKS_PER_PARTITION,
    );
    try {
      await this.prepare();
      await this.options.filters.makeMissing();
      if (performance.now() >= this.tidyAtMs) {
        // Set first: a drop that a long query blocks is retried at the next tidying, not at once.
        this.tidyAtMs = performance.now() + TIDY_INTERVAL_MS;
        await this.tidy();
      }
    } catch (error) {
      this.options.onError(error);
      pauseMs = RETRY_MS;
    }
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.running = this.look();
    }, pauseMs);
  }

  /** Each partition in a transaction of its own, so that storing waits only briefly. */
  private async tidy(): Promise<void> {
    const { pool, retentionDays, windowDays, onDropped } = this.options;
    for (let step = 0; step < MAX_STEPS_PER_TIDY && !this.isStopped; step += 1) {
      const { rows } = await pool.query<{ dropped: string | null }>(
        'select drop_expired_partition($1, $2) as dropped',
        [retentionDays, windowDays],
      );
      const dropped = rows[0]?.dropped ?? null;
      if (dropped === null) break;
      onDropped(dropped);
    }
    // Not waited for: partitions are made and filters read meanwhile.
    this.emptying ??= this.empty();
    const areLeft = [
      await this.forget('handled_requests', EXPIRED_REQUESTS, REMEMBERED_DAYS),
      await this.forget('trail_items', EXPIRED_TRAIL_ITEMS, TRAIL_DAYS),
    ];
    // As many may come in an hour as were forgotten now: the next look goes on.
    if (areLeft.includes(true)) this.tidyAtMs = 0;
  }

  private async empty(): Promise<void> {
    try {
      await this.emptier.run();
    } catch (error) {
      if (!this.isStopped) this.options.onError(error);
    } finally {
      this.emptying = undefined;
    }
  }

  /** @returns whether there may be more */
  private async forget(table: string, expired: string, days: number): Promise<boolean> {
    const { pool } = this.options;
    for (let step = 0; step < MAX_STEPS_PER_TIDY && !this.isStopped; step += 1) {
      const { rowCount } = await pool.query(
        `delete from ${table} where ctid = any (array(${expired} limit $2))`,
        [days, MAX_FORGOTTEN_AT_ONCE],
      );
      if (rowCount !== MAX_FORGOTTEN_AT_ONCE) return false;
    }
    return true;
  }
}

const EXPIRED_REQUESTS = `
  select ctid from handled_requests where handled_at < now() - make_interval(days => $1)`;

/**
 * Of each ring its oldest item is looked up: the first one from the next place on, or else from the beginning. An index by time
 * would make each refusal dearer, and without one the whole table was read each hour; `offset 0` keeps Postgres from doing so.
 */
export const EXPIRED_TRAIL_ITEMS = `
  select expired.ctid from trail_rings
  cross join lateral (select least(
    (select at from trail_items items
     where items.site_id = trail_rings.site_id and items.writer = trail_rings.writer and slot >= next_slot
     order by slot limit 1),
    (select at from trail_items items
     where items.site_id = trail_rings.site_id and items.writer = trail_rings.writer
     order by slot limit 1)) as at) oldest
  cross join lateral (
    select ctid from trail_items items
    where items.site_id = trail_rings.site_id and items.writer = trail_rings.writer
      and items.at < now() - make_interval(days => $1)
    offset 0) expired
  where oldest.at < now() - make_interval(days => $1)`;
