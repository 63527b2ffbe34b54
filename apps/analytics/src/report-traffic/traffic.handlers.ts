import type {
  AskFunnel,
  AskReport,
  AskTimeseries,
  Funnel,
  Overview,
  Timeseries,
} from '@truetally/contracts/analytics';
import type { Reply } from '@truetally/kernel';
import { pointsOf } from '../domain/intervals.js';
import { presentAmounts } from '../domain/present-revenue.js';
import { presentBreakdown, presentSteps, presentTraffic, sumOf } from '../domain/present-traffic.js';
import { MICROS_PER_MS } from '../domain/quarters.js';
import { formatMicros, type KeptEvents, presentKept } from '../domain/report-window.js';
import { RevenueReads } from '../storage/revenue-reads.js';
import type { ReportOpener } from './report-opener.js';

const ALL_KEPT: KeptEvents = { since: Number.NEGATIVE_INFINITY, areSummed: true };
const MICROS_PER_MINUTE = 60_000 * MICROS_PER_MS;

/** Events and sessions of a window (interface page, section 9). */
export class TrafficHandlers {
  constructor(
    private readonly opener: ReportOpener,
    private readonly kept: () => KeptEvents = () => ALL_KEPT,
  ) {}

  overview(asked: AskReport): Promise<Reply<Overview>> {
    return this.opener.open(asked, 'day', async ({ siteId, window, reads }) => {
      const traffic = await reads.traffic.traffic(siteId, window);
      const revenue = new RevenueReads(reads.client, siteId, window);
      return {
        ok: {
          ...presentKept(window, this.kept(), false),
          ...presentTraffic(traffic),
          observed_revenue: presentAmounts(await revenue.observed()),
          authoritative_revenue: presentAmounts(await revenue.recorded()),
        },
      };
    });
  }

  timeseries(asked: AskTimeseries): Promise<Reply<Timeseries>> {
    const { interval } = asked;
    return this.opener.open(asked, interval, async ({ siteId, window, calendar, reads }) => {
      const points = pointsOf(window, interval, calendar);
      const traffic = await reads.traffic.series(siteId, points);
      const series = points.flatMap(({ start }, index) => {
        const sum = traffic[index];
        return sum === undefined ? [] : [{ start: formatMicros(start), ...presentTraffic(sum) }];
      });
      return { ok: { ...presentKept(window, this.kept(), false), interval, series } };
    });
  }

  funnel(asked: AskFunnel): Promise<Reply<Funnel>> {
    const { steps, window_minutes, breakdown } = asked;
    return this.opener.open(asked, 'day', async ({ siteId, window, calendar, reads }) => {
      const windowMicros = window_minutes * MICROS_PER_MINUTE;
      const days = pointsOf(window, 'day', calendar).map(({ start }) => start);
      const found = await reads.traffic.funnel({ siteId, window, steps, windowMicros, breakdown, days });
      const shown =
        breakdown === 'day' ? new Map([...found].map(([day, counts]) => [dayText(day), counts])) : found;
      return {
        ok: {
          ...presentKept(window, this.kept(), true),
          window_minutes,
          steps: presentSteps(steps, sumOf(steps, [...found.values()])),
          breakdown: breakdown === null ? null : presentBreakdown(steps, shown),
        },
      };
    });
  }
}

function dayText(micros: string | null): string | null {
  return micros === null ? null : formatMicros(Number(micros));
}
