import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { Pool } from 'pg';
import type { ReportRebuild } from '../storage/report-rebuild.js';
import type { SiteDirectory } from './site-directory.js';

const RETRY_MS = 5_000;
/** A site whose first fact came while its first click was being stored is found by the comparison alone. */
const COMPARE_MS = 60_000;

/** The sites' zones, and who is told of a new one. */
export type KnownZones = Pick<SiteDirectory, 'timeZoneOf' | 'whenMoved'>;

/** Keeps each site's sums by the days of its time zone: recomputes them when it differs, one site after the other. */
export class CalendarKeeper {
  private readonly waiting = new Map<string, string>();
  private working: Promise<void> | undefined;
  private comparing: Repetition | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly sites: KnownZones,
    private readonly rebuild: ReportRebuild,
    private readonly log: Pick<Logger, 'info' | 'warn'>,
  ) {}

  /** Also finds sites that changed while no replica ran. @param compareMs time between two comparisons */
  async start(pool: Pool, compareMs = COMPARE_MS): Promise<void> {
    this.sites.whenMoved((siteId, timeZone) => this.enqueue(siteId, timeZone));
    await this.compare(pool);
    const failure = 'The time zones of sums could not be compared; it is tried again.';
    this.comparing = repeatedly({ everyMs: compareMs, log: this.log, failure }, () => this.compare(pool));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.comparing?.close();
    await this.working;
  }

  private async compare(pool: Pool): Promise<void> {
    const { rows } = await pool.query<{ site_id: string; timezone: string }>('select * from site_calendars');
    for (const { site_id, timezone } of rows) {
      const known = this.sites.timeZoneOf(site_id);
      if (known !== undefined && known !== timezone) this.enqueue(site_id, known);
    }
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

  /** Ends when every site has the zone that was told last, also while it was moved to the one before. */
  private async moveAll(): Promise<void> {
    while (!this.isStopped) {
      const [next] = this.waiting;
      if (next === undefined) return;
      const [siteId, timeZone] = next;
      try {
        const moved = await this.rebuild.moveTo(siteId, timeZone);
        if (moved) this.log.info({ site_id: siteId }, 'The sums of a site are kept in its new time zone.');
        if (this.waiting.get(siteId) === timeZone) this.waiting.delete(siteId);
      } catch (error) {
        this.log.warn({ err: error, site_id: siteId }, 'A site could not be moved to its new time zone yet.');
        this.last(siteId);
        this.timer = setTimeout(() => this.work(), RETRY_MS);
        return;
      }
    }
  }

  /** A site that cannot be moved keeps no other waiting. */
  private last(siteId: string): void {
    const timeZone = this.waiting.get(siteId);
    this.waiting.delete(siteId);
    if (timeZone !== undefined) this.waiting.set(siteId, timeZone);
  }
}
