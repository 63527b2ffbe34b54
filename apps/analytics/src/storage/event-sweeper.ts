import { deleteOlder } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { mergeSmallBlocks } from './merge-blocks.js';

const INTERVAL_MS = 60_000;

/**
 * Forgets events that are as old as those that ingestion drops; their sums and purchases stay. And merges the small blocks in
 * which events come to a quiet site.
 */
export class EventSweeper {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();
  private isClosing = false;

  constructor(
    private readonly pool: Pool,
    private readonly retentionDays: number,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  start(): this {
    this.timer = setInterval(() => {
      this.sweeping = this.sweeping.then(() => this.sweep());
    }, INTERVAL_MS);
    this.timer.unref();
    return this;
  }

  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** In small pieces, until nothing is too old. */
  async sweep(): Promise<void> {
    const keep = `${this.retentionDays} days`;
    const rows = { table: 'event_blocks', key: 'block_id', time: 'received_to', keep };
    try {
      let isMore = true;
      // Terminates: each piece leaves fewer rows, and none becomes as old faster than pieces are deleted.
      while (isMore && !this.isClosing) isMore = await deleteOlder(this.pool, rows);
      await mergeSmallBlocks(this.pool, () => this.isClosing);
    } catch (error) {
      this.log.warn({ err: error }, 'Old events could not be forgotten; it is tried again.');
    }
  }
}
