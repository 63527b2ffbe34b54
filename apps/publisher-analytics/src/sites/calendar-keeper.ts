import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import type { ReportRebuild } from '../storage/report-rebuild.js';
import type { SiteDirectory } from './site-directory.js';

const RETRY_MS = 5_000;

/** Recomputes a site's sums when its time zone has changed, one site after the other. */
export class CalendarKeeper {
  private readonly waiting = new Map<string, string>();
  private working: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly sites: SiteDirectory,
    private readonly rebuild: ReportRebuild,
    private readonly log: Pick<Logger, 'info' | 'warn'>,
  ) {}

  /** Also finds sites that changed while no replica ran. */
  async start(pool: Pool): Promise<void> {
    this.sites.whenMoved((siteId, timeZone) => this.enqueue(siteId, timeZone));
    const { rows } = await pool.query<{ site_id: string; timezone: string }>('select * from site_calendars');
    for (const { site_id, timezone } of rows) {
      const known = this.sites.timeZoneOf(site_id);
      if (known !== undefined && known !== timezone) this.enqueue(site_id, known);
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.working;
  }

  private enqueue(siteId: string, timeZone: string): void {
    this.waiting.set(siteId, timeZone);
    this.work();
  }

  private work(): void {
    if (this.isStopped || this.working !== undefined) return;
    this.working = this.moveAll().finally(() => {
      this.working = undefined;
    });
  }

  private async moveAll(): Promise<void> {
    for (const [siteId, timeZone] of this.waiting) {
      if (this.isStopped) return;
      try {
        const moved = await this.rebuild.moveTo(siteId, timeZone);
        if (moved) this.log.info({ site_id: siteId }, 'The sums of a site are kept in its new time zone.');
        if (this.waiting.get(siteId) === timeZone) this.waiting.delete(siteId);
      } catch (error) {
        this.log.warn({ err: error, site_id: siteId }, 'A site could not be moved to its new time zone yet.');
        this.timer = setTimeout(() => this.work(), RETRY_MS);
        return;
      }
    }
  }
}
