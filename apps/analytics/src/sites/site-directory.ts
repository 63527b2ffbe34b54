import { SITE_RECORD } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { Calendar } from '@truetally/kernel';
import { CompactedTable, type Messaging } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';

/** What a report needs of a site. */
export interface SiteLocale {
  /** IANA name. */
  readonly timeZone: string;
  /** ISO 4217. */
  readonly currency: string;
}

interface KnownSite extends SiteLocale {
  readonly workspaceId: string;
}

/** Defaults of a site (interface page, section 9), for one whose fact is on its way. */
const DEFAULTS: SiteLocale = { timeZone: 'UTC', currency: 'EUR' };
const MAX_CALENDARS = 600;

/** This service's copy of sites, from their compacted topic. */
export class SiteDirectory {
  private readonly sites = new Map<string, KnownSite>();
  private readonly calendars = new Map<string, Calendar>();
  private table: CompactedTable | undefined;

  constructor(private readonly log: Pick<Logger, 'error'>) {}

  /** Resolves when every site is known. */
  async open(messaging: Messaging): Promise<void> {
    this.table = await CompactedTable.open(messaging, {
      topic: TOPICS.sites.name,
      apply: (siteId, value) => this.apply(siteId, value),
    });
  }

  localeOf(siteId: string): SiteLocale {
    return this.sites.get(siteId) ?? DEFAULTS;
  }

  /** Whose site it is; one whose fact is on its way has a workspace of its own. */
  workspaceOf(siteId: string): string {
    return this.sites.get(siteId)?.workspaceId ?? siteId;
  }

  calendarOf(siteId: string): Calendar {
    const { timeZone } = this.localeOf(siteId);
    const known = this.calendars.get(timeZone);
    if (known !== undefined) return known;
    if (this.calendars.size >= MAX_CALENDARS) this.calendars.clear();
    const calendar = new Calendar(timeZone);
    this.calendars.set(timeZone, calendar);
    return calendar;
  }

  /** Applies a fact of a site; null after its deletion. */
  apply(siteId: string, value: string | null): void {
    if (value === null) {
      this.sites.delete(siteId);
      return;
    }
    const record = SITE_RECORD.parse(value);
    if (!record.ok) return this.log.error({ site_id: siteId, fault: record.error }, 'A site cannot be read.');
    const { workspace_id: workspaceId, timezone: timeZone, currency } = record.value;
    this.sites.set(siteId, { workspaceId, timeZone, currency });
  }

  async close(): Promise<void> {
    await this.table?.close();
  }
}
