import { setImmediate } from 'node:timers/promises';
import { MAX_REPORT_SUMS, type ReadReport } from '@truetally/contracts/publisher';
import { type Calendar, failure, type FieldErrors, type Reply } from '@truetally/kernel';
import { presentReport, type ReportSums } from '../domain/present-report.js';
import { readReportWindow, tooManySums } from '../domain/report-window.js';
import { whileAvailable } from '@truetally/service';
import type { ReportReads, SnapshotReads } from '../storage/report-reads.js';
import type { SiteDirectory } from '../sites/site-directory.js';
import type { SiteScopes } from '../storage/site-scope.js';

const DEFAULT_TIME_ZONE = 'UTC';
export class ReadReportHandler {
  constructor(
    private readonly reads: ReportReads,
    private readonly scopes: SiteScopes,
    private readonly sites: SiteDirectory,
  ) {}

  async handle(request: ReadReport): Promise<Reply<object>> {
    return whileAvailable(() => this.read(request));
  }

  private async read(request: ReadReport): Promise<Reply<object>> {
    const read = await this.reads.atOnce((reads) => this.sumsOf(request, reads));
    // The connection is free by then.
    return 'error' in read ? read : { ok: await presentReport(read.ok.sums, read.ok.calendar, setImmediate) };
  }

  private async sumsOf(
    request: ReadReport,
    reads: SnapshotReads,
  ): Promise<Reply<{ readonly sums: ReportSums; readonly calendar: Calendar }>> {
    const { site_id: siteId, interval } = request;
    const kept = await reads.timeZoneOf(siteId);
    const calendar = this.scopes.calendar(kept ?? this.sites.timeZoneOf(siteId) ?? DEFAULT_TIME_ZONE);
    const window = readReportWindow(request, calendar, Date.now());
    if (!window.ok) return refused(window.error);
    const finest = interval === 'month' ? 'month' : 'day';
    const [totals, topContent, topDestinations] = await Promise.all([
      reads.totals(siteId, window.value, { finest, most: MAX_REPORT_SUMS }),
      reads.topItems(siteId, window.value, 'content'),
      reads.topItems(siteId, window.value, 'destination'),
    ]);
    if (totals === undefined) return refused(tooManySums(MAX_REPORT_SUMS));
    const asked = { from: request.from ?? window.value.from, to: request.to ?? window.value.to };
    const sums = { siteId, window: window.value, asked, interval, totals, topContent, topDestinations };
    return { ok: { sums, calendar } };
  }
}

function refused(details: FieldErrors): Reply<never> {
  return failure('VALIDATION_ERROR', 'Some fields break a rule.', details);
}
