import { Injectable } from '@nestjs/common';
import { MAX_REPORT_SUMS, type ReadReport } from '@truetally/contracts/publisher';
import { failure, FairQueue, type FieldErrors, type Reply } from '@truetally/kernel';
import { presentReport } from '../domain/present-report.js';
import { readReportWindow, tooManySums } from '../domain/report-window.js';
import { whileAvailable } from '@truetally/service';
import { ReportReads } from '../storage/report-reads.js';
import { SiteDirectory } from '../sites/site-directory.js';
import { SiteScopes } from '../storage/site-scope.js';

const DEFAULT_TIME_ZONE = 'UTC';
/** As many as make use of Postgres beside this process; a report of years takes a fifth of a second of both. */
const REPORTS_AT_ONCE = 2;

@Injectable()
export class ReadReportHandler {
  /** Sites take turns, before a connection is taken: one that asks for many reports delays its own. */
  private readonly turns = new FairQueue(REPORTS_AT_ONCE);

  constructor(
    private readonly reads: ReportReads,
    private readonly scopes: SiteScopes,
    private readonly sites: SiteDirectory,
  ) {}

  async handle(request: ReadReport): Promise<Reply<object>> {
    return whileAvailable(() => this.turns.run(request.site_id, () => this.read(request)));
  }

  private read(request: ReadReport): Promise<Reply<object>> {
    const { site_id: siteId, interval } = request;
    return this.reads.atOnce(async (reads) => {
      const kept = await reads.timeZoneOf(siteId);
      const calendar = this.scopes.calendar(kept ?? this.sites.timeZoneOf(siteId) ?? DEFAULT_TIME_ZONE);
      const window = readReportWindow(request, calendar, Date.now());
      if (!window.ok) return refused(window.error);
      const finest = interval === 'month' ? 'month' : 'day';
      const totals = await reads.totals(siteId, window.value, { finest, most: MAX_REPORT_SUMS });
      if (totals === undefined) return refused(tooManySums(MAX_REPORT_SUMS));
      const topContent = await reads.topItems(siteId, window.value, 'content');
      const topDestinations = await reads.topItems(siteId, window.value, 'destination');
      const asked = { from: request.from ?? window.value.from, to: request.to ?? window.value.to };
      const sums = { siteId, window: window.value, asked, interval, totals, topContent, topDestinations };
      return { ok: presentReport(sums, calendar) };
    });
  }
}

function refused(details: FieldErrors): Reply<never> {
  return failure('VALIDATION_ERROR', 'Some fields break a rule.', details);
}
