import type { SeriesInterval } from '@truetally/contracts/analytics';
import { type Calendar, type Day, dayAfter } from '@truetally/kernel';
import { HOUR_MS, MICROS_PER_MS, QUARTER_MS } from './quarters.js';
import type { ReportWindow } from './report-window.js';

/** One interval of a series. */
export interface SeriesPoint extends ReportWindow {
  /** The interval's own beginning in microseconds, also where the window cuts it. */
  readonly start: number;
}

const MINUTES_PER_HOUR = 60;
const MINUTE_MS = 60_000;

/** Every interval that the window touches, in order, cut to the window. */
export function pointsOf(
  window: ReportWindow,
  interval: SeriesInterval,
  calendar: Calendar,
): readonly SeriesPoint[] {
  const firstDay = calendar.dayOf(Math.floor(window.from / MICROS_PER_MS));
  const points: SeriesPoint[] = [];
  // Terminates: each day begins later than the one before, and `readReportWindow` has bounded their number.
  for (let day = firstDay; calendar.startOf(day) * MICROS_PER_MS < window.to; day = dayAfter(day, 1)) {
    const next = calendar.startOf(dayAfter(day, 1));
    const starts = interval === 'hour' ? hoursOf(day, calendar) : [calendar.startOf(day)];
    starts.forEach((startMs, index) => {
      const start = startMs * MICROS_PER_MS;
      const end = (starts[index + 1] ?? next) * MICROS_PER_MS;
      if (end <= window.from || start >= window.to || end <= start) return;
      points.push({ start, from: Math.max(start, window.from), to: Math.min(end, window.to) });
    });
  }
  return points;
}

/**
 * Where the hours of a day begin. An hour ends where the site's clocks show another one, or the same one again: the
 * day of a change has 23 or 25, and where clocks move by half an hour the hour of the change is that much longer.
 */
function hoursOf(day: Day, calendar: Calendar): readonly number[] {
  const [start, end] = [calendar.startOf(day), calendar.startOf(dayAfter(day, 1))];
  const clock = new LocalClock(calendar.timeZone);
  const starts: number[] = [];
  if (clock.offsetMs(start) === clock.offsetMs(end - 1)) {
    for (let hour = start; hour < end; hour += HOUR_MS) starts.push(hour);
    return starts;
  }
  let shown: number | undefined;
  for (let quarter = start; quarter < end; quarter += QUARTER_MS) {
    const minutes = Math.round((quarter + clock.offsetMs(quarter)) / MINUTE_MS);
    const hour = Math.floor(minutes / MINUTES_PER_HOUR);
    const isFull = ((minutes % MINUTES_PER_HOUR) + MINUTES_PER_HOUR) % MINUTES_PER_HOUR === 0;
    if (isFull || hour !== shown) starts.push(quarter);
    shown = hour;
  }
  return starts;
}

/** How far a zone's clocks are from UTC. */
class LocalClock {
  private static readonly formats = new Map<string, Intl.DateTimeFormat>();

  constructor(private readonly timeZone: string) {}

  /** In whole seconds before 1972, in whole quarters of an hour since. */
  offsetMs(epochMs: number): number {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.format().formatToParts(epochMs)) parts[type] = Number(value);
    const local = Date.UTC(
      parts['year'] ?? 0,
      (parts['month'] ?? 1) - 1,
      parts['day'] ?? 1,
      parts['hour'] ?? 0,
      parts['minute'] ?? 0,
      parts['second'] ?? 0,
    );
    return local - Math.floor(epochMs / 1_000) * 1_000;
  }

  private format(): Intl.DateTimeFormat {
    const known = LocalClock.formats.get(this.timeZone);
    if (known !== undefined) return known;
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: this.timeZone,
      hourCycle: 'h23',
      calendar: 'iso8601',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    LocalClock.formats.set(this.timeZone, format);
    return format;
  }
}
