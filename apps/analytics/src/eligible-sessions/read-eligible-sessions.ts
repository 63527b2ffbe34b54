import type { AskEligibleSessions, EligibleSessions } from '@truetally/contracts/analytics';
import { dayAfter, formatInstant, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { SiteDirectory } from '../sites/site-directory.js';
import { eligibleByDay, firstTouchOf } from '../storage/eligible-reads.js';
import type { ReportReads } from '../storage/report-reads.js';

const NO_DAY = 'There is no whole day since the first touch of the site.';

/** Sessions by the day of their first eligible touch, for who plans an experiment (interface page, section 7). */
export const readEligibleSessions =
  (
    reads: Pick<ReportReads, 'atOnce'>,
    sites: Pick<SiteDirectory, 'calendarOf'>,
    nowMs: () => number = Date.now,
  ) =>
  (asked: AskEligibleSessions): Promise<Reply<EligibleSessions>> => {
    const { site_id, days: length } = asked;
    const calendar = sites.calendarOf(site_id);
    const today = calendar.dayOf(nowMs());
    const dates = Array.from({ length }, (_, index) => dayAfter(today, index - length));
    const starts = [...dates, today].map((day) => formatInstant(calendar.startOf(day)));
    return whileAvailable(() =>
      reads.atOnce(async (reads) => {
        const as_of = reads.asOf;
        const firstMs = await firstTouchOf(reads.client, site_id);
        const counts = await eligibleByDay(reads.client, asked, starts);
        const days = dates.map((date, index) => ({ date, sessions: counts.get(index + 1) ?? 0 }));
        const firstDay = firstMs === undefined ? today : calendar.dayOf(firstMs);
        return { ok: { site_id, timezone: calendar.timeZone, as_of, days, ...meanOf(days, firstDay) } };
      }),
    );
  };

/** Over the days from the first touch's: a site is not measured by the days before it had any. */
function meanOf(
  days: EligibleSessions['days'],
  firstDay: string,
): Pick<EligibleSessions, 'mean_per_day' | 'reason'> {
  const counted = days.filter(({ date }) => date >= firstDay);
  if (counted.length === 0) return { mean_per_day: null, reason: NO_DAY };
  return { mean_per_day: counted.reduce((sum, { sessions }) => sum + sessions, 0) / counted.length };
}
