import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import type { ClickStore } from '../storage/click.store.js';
import { sitesWithParked } from '../storage/parked-clicks.js';

/** Also finds what processes left that have ended. */
const LOOK_MS = 5_000;
/** That are waited for, each with a connection. */
const SITES_AT_ONCE = 2;
const LOCK_NOT_AVAILABLE = '55P03';

/** Counts clicks that were parked because their site was locked, in their order, once it is free. */
export class ParkedCounter {
  private counting: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly pool: Pool,
    private readonly clicks: Pick<ClickStore, 'countParked'>,
    private readonly log: Pick<Logger, 'warn'>,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.wake(), LOOK_MS);
    this.wake();
  }

  /** Call it when there are new ones. */
  wake(): void {
    if (this.isStopped) return;
    this.counting ??= this.countAll().finally(() => {
      this.counting = undefined;
    });
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.counting;
  }

  /** Ends when nothing is parked. What is parked meanwhile is seen, because a look follows each round. */
  private async countAll(): Promise<void> {
    try {
      let sites = await sitesWithParked(this.pool);
      while (sites.length > 0 && !this.isStopped) {
        const waiting = sites.values();
        const rounds = Array.from({ length: SITES_AT_ONCE }, () => this.countEach(waiting));
        for (const round of await Promise.allSettled(rounds))
          if (round.status === 'rejected') throw round.reason;
        sites = await sitesWithParked(this.pool);
      }
    } catch (error) {
      this.log.warn({ err: error }, 'Parked clicks could not be counted; it is tried again.');
    }
  }

  private async countEach(sites: Iterable<string>): Promise<void> {
    for (const siteId of sites) {
      if (this.isStopped) return;
      await this.countNext(siteId);
    }
  }

  /** One transaction of each site in turn. */
  private async countNext(siteId: string): Promise<void> {
    try {
      await this.clicks.countParked(siteId);
    } catch (error) {
      // Still locked: it comes again in the next round.
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    }
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
