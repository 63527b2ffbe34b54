import { setImmediate } from 'node:timers/promises';
import { MAX_REPORT_SUMS, type ReadReport } from '@truetally/contracts/publisher';
import { failure, type FieldErrors, type Reply } from '@truetally/kernel';
import { presentReport, presentSeries } from '../domain/present-report.js';
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
    return whileAvailable(() => this.reads.atOnce((reads) => this.read(request, reads)));
  }

  private async read(request: ReadReport, reads: SnapshotReads): Promise<Reply<object>> {
    const { site_id: siteId, interval } = request;
    const kept = await reads.timeZoneOf(siteId);
    const calendar = this.scopes.calendar(kept ?? this.sites.timeZoneOf(siteId) ?? DEFAULT_TIME_ZONE);
    const window = readReportWindow(request, calendar, Date.now());
    if (!window.ok) return refused(window.error);
    const finest = interval === 'month' ? 'month' : 'day';
    const totals = await reads.totals(siteId, window.value, { finest, most: MAX_REPORT_SUMS });
    if (totals === undefined) return refused(tooManySums(MAX_REPORT_SUMS));
    // The series of years takes this process as long as the top lists take Postgres.
    const [topContent, topDestinations, series] = await Promise.all([
      reads.topItems(siteId, window.value, 'content'),
      reads.topItems(siteId, window.value, 'destination'),
      presentSeries({ totals, window: window.value, interval }, calendar, setImmediate),
    ]);
    const asked = { from: request.from ?? window.value.from, to: request.to ?? window.value.to };
    const sums = { siteId, asked, interval, totals, topContent, topDestinations, series };
    return { ok: presentReport(sums, calendar) };
  }
}

function refused(details: FieldErrors): Reply<never> {
  return failure('VALIDATION_ERROR', 'Some fields break a rule.', details);
}
