import type { AskReport, SeriesInterval } from '@truetally/contracts/analytics';
import { type Calendar, failure, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { presentReport } from '../domain/present-traffic.js';
import { readReportWindow, type ReportWindow } from '../domain/report-window.js';
import type { SiteDirectory } from '../sites/site-directory.js';
import type { ReadsAtOnce, ReportReads } from '../storage/report-reads.js';

/** What a report is made from. */
export interface OpenReport {
  readonly siteId: string;
  readonly window: ReportWindow;
  readonly calendar: Calendar;
  readonly reads: ReadsAtOnce;
}

/** Opens the window of a report in its site's time zone, and reads at one instant. */
export class ReportOpener {
  constructor(
    private readonly reads: ReportReads,
    private readonly sites: Pick<SiteDirectory, 'calendarOf'>,
  ) {}

  async open<T extends object>(
    { site_id: siteId, from, to }: AskReport,
    interval: SeriesInterval,
    work: (report: OpenReport) => Promise<Reply<T>>,
  ): Promise<Reply<T & ReturnType<typeof presentReport>>> {
    const calendar = this.sites.calendarOf(siteId);
    const window = readReportWindow({ from, to }, interval, calendar, Date.now());
    if (!window.ok) return failure('VALIDATION_ERROR', 'Some fields break a rule.', window.error);
    const { value } = window;
    return whileAvailable(() =>
      this.reads.atOnce(async (reads) => {
        const reply = await work({ siteId, window: value, calendar, reads });
        if ('error' in reply) return reply;
        return { ok: { ...presentReport(siteId, value, calendar.timeZone, reads.asOf), ...reply.ok } };
      }),
    );
  }
}
