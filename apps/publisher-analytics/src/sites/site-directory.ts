import { SITE_RECORD } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { CompactedTable, type Messaging } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';

/** This service's copy of sites, from their compacted topic. */
export class SiteDirectory {
  private readonly timeZones = new Map<string, string>();
  private table: CompactedTable | undefined;
  private onMoved: (siteId: string, timeZone: string) => void = () => undefined;

  constructor(private readonly log: Pick<Logger, 'error'>) {}

  /** Resolves when every site is known. */
  async open(messaging: Messaging): Promise<void> {
    this.table = await CompactedTable.open(messaging, {
      topic: TOPICS.sites.name,
      apply: (siteId, value) => this.apply(siteId, value),
    });
  }

  /** Calls the listener for each new time zone of a site, including the first: its first click may have come before. */
  whenMoved(listener: (siteId: string, timeZone: string) => void): void {
    this.onMoved = listener;
  }

  timeZoneOf(siteId: string): string | undefined {
    return this.timeZones.get(siteId);
  }

  /** Applies a fact of a site; null after its deletion. */
  apply(siteId: string, value: string | null): void {
    if (value === null) {
      this.timeZones.delete(siteId);
      return;
    }
    const record = SITE_RECORD.parse(value);
    if (!record.ok) return this.log.error({ site_id: siteId, fault: record.error }, 'A site cannot be read.');
    const { timezone } = record.value;
    const before = this.timeZones.get(siteId);
    this.timeZones.set(siteId, timezone);
    if (before !== timezone) this.onMoved(siteId, timezone);
  }

  async close(): Promise<void> {
    await this.table?.close();
  }
}
