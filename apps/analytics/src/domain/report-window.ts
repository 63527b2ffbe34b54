import type { SeriesInterval } from '@truetally/contracts/analytics';
import {
  type Calendar,
  DAY_MS,
  dayAfter,
  daysBetween,
  END_OF_DAYS,
  fail,
  type FieldErrors,
  formatInstantPrecisely,
  parseInstant,
  readDay,
  type Result,
  succeed,
} from '@truetally/kernel';
import { HOUR_MICROS, MICROS_PER_MS, QUARTER_MICROS } from './quarters.js';

/** The half-open time of a report, in microseconds since 1970: as exact as times are stored. */
export interface ReportWindow {
  readonly from: number;
  readonly to: number;
}

/** What a client asked for: a date of the site's calendar or an instant each; null where nothing is given. */
export interface AskedWindow {
  readonly from: string | null;
  readonly to: string | null;
}

const USUAL_DAYS = 30;
/** Hours of a series of hours; days of any other report (interface page, section 9). */
export const MAX_INTERVALS = 3_660;
const LAST_MICROS = Date.parse(END_OF_DAYS) * MICROS_PER_MS;
const MICROSECOND_DIGITS = 3;
const FORM = 'must be a date such as 2026-03-29, or a date and time with an offset';

/** Reads the window of a report. Default: the 30 days up to and including today. */
export function readReportWindow(
  asked: AskedWindow,
  interval: SeriesInterval,
  calendar: Calendar,
  nowMs: number,
): Result<ReportWindow, FieldErrors> {
  const { from, to } = asked;
  if (from === null && to === null) {
    const end = dayAfter(calendar.dayOf(nowMs), 1);
    return succeed({ from: startOf(calendar, dayAfter(end, -USUAL_DAYS)), to: startOf(calendar, end) });
  }
  if (to === null) return fail({ to: ['is required together with from'] });
  if (from === null) return fail({ from: ['is required together with to'] });
  const window = { from: readBoundary(from, calendar), to: readBoundary(to, calendar) };
  const wrong = Object.entries(window).filter(([, moment]) => moment === undefined);
  if (window.from === undefined || window.to === undefined) {
    return fail(Object.fromEntries(wrong.map(([name]) => [name, [FORM]])));
  }
  if (window.from >= window.to) return fail({ to: ['must be later than from'] });
  if (window.to > LAST_MICROS) return fail({ to: [`must not be after ${END_OF_DAYS}`] });
  if (isTooLong(window.from, window.to, interval, calendar)) {
    const unit = interval === 'hour' ? 'hours' : 'days';
    return fail({ to: [`must be at most ${MAX_INTERVALS} ${unit} after from`] });
  }
  return succeed({ from: window.from, to: window.to });
}

/** ISO 8601 UTC with milliseconds, or as many digits as it takes. */
export function formatMicros(micros: number): string {
  const epochMs = Math.floor(micros / MICROS_PER_MS);
  const rest = micros - epochMs * MICROS_PER_MS;
  return formatInstantPrecisely({ epochMs, subMillisecond: String(rest).padStart(MICROSECOND_DIGITS, '0') });
}

function isTooLong(from: number, to: number, interval: SeriesInterval, calendar: Calendar): boolean {
  const dayOf = (micros: number) => calendar.dayOf(Math.floor(micros / MICROS_PER_MS));
  if (interval === 'hour') {
    // The site's hours, which need not be UTC's.
    const start = startOf(calendar, dayOf(from));
    return Math.ceil((to - start) / HOUR_MICROS) - Math.floor((from - start) / HOUR_MICROS) > MAX_INTERVALS;
  }
  return daysBetween(dayOf(from), dayOf(to - 1)) + 1 > MAX_INTERVALS;
}

function readBoundary(text: string, calendar: Calendar): number | undefined {
  const day = readDay(text);
  if (day !== undefined) return startOf(calendar, day);
  const instant = parseInstant(text);
  if (instant === undefined) return undefined;
  const finer = instant.subMillisecond.slice(0, MICROSECOND_DIGITS).padEnd(MICROSECOND_DIGITS, '0');
  return instant.epochMs * MICROS_PER_MS + Number(finer);
}

function startOf(calendar: Calendar, day: string): number {
  return calendar.startOf(day) * MICROS_PER_MS;
}

/** A window as whole quarters of an hour, and what it has of the quarters that it cuts. */
export interface WindowParts {
  /** Quarters since 1970, `first` ≤ q < `end`; none when they are equal. */
  readonly first: number;
  readonly end: number;
  readonly edges: readonly ReportWindow[];
}

/** Sums are stored by quarters: the rest of a window, at most two times less than one, is read from the events. */
export function partsOf({ from, to }: ReportWindow): WindowParts {
  const first = Math.ceil(from / QUARTER_MICROS);
  const end = Math.floor(to / QUARTER_MICROS);
  if (first > end) return { first, end: first, edges: [{ from, to }] };
  const edges = [
    { from, to: first * QUARTER_MICROS },
    { from: end * QUARTER_MICROS, to },
  ];
  return { first, end, edges: edges.filter((edge) => edge.from < edge.to) };
}

/** From when on events are kept, and whether those of before are in sums. */
export interface KeptEvents {
  /** Microseconds since 1970. */
  readonly since: number;
  readonly areSummed: boolean;
}

/** Events are at most a day ahead of their receipt, by which they are forgotten. */
const AHEAD_DAYS = 1;

/** From when on all events are kept, in microseconds since 1970. */
export function keptSince(retentionDays: number, nowMs: number): number {
  return (nowMs - (retentionDays - AHEAD_DAYS) * DAY_MS) * MICROS_PER_MS;
}

/** What a report says of itself that needs events of before. @param byEvents whether each is read, as for a funnel */
export function presentKept(
  window: ReportWindow,
  { since, areSummed }: KeptEvents,
  byEvents: boolean,
): { readonly events_kept_since?: string } {
  const read = byEvents || !areSummed ? [window] : partsOf(window).edges;
  return read.some(({ from }) => from < since) ? { events_kept_since: formatMicros(since) } : {};
}
