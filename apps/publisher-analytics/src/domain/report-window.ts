import { MAX_REPORT_POINTS, type ReportInterval } from '@truetally/contracts/publisher';
import {
  beginningOf,
  type Calendar,
  type Day,
  dayAfter,
  daysBetween,
  fail,
  type FieldErrors,
  nextBeginning,
  parseInstant,
  END_OF_DAYS,
  readDay,
  type Result,
  succeed,
} from '@truetally/kernel';
import type { Level } from './report-changes.js';

/** The days of a report, from the first (inclusive) to the last (exclusive). */
export interface ReportWindow {
  readonly from: Day;
  readonly to: Day;
}

/** Consecutive days, months or years with stored sums. */
export interface Piece extends ReportWindow {
  readonly level: Level;
}

const USUAL_DAYS = 30;
const FORM =
  'must be a date such as 2026-03-01, or the moment at which a day begins in the time zone of the site';

/** Reads the requested window; default: the 30 days up to and including today. One boundary alone is refused, as in every report. */
export function readReportWindow(
  {
    from,
    to,
    interval,
  }: { readonly from: string | null; readonly to: string | null; readonly interval: ReportInterval },
  calendar: Calendar,
  nowMs: number,
): Result<ReportWindow, FieldErrors> {
  const errors: Record<string, string[]> = {};
  const read = (name: string, text: string | null): Day | undefined => {
    if (text === null) return undefined;
    const day = readBoundary(text, calendar);
    if (day === undefined) errors[name] = [FORM];
    return day;
  };
  const givenFrom = read('from', from);
  const givenTo = read('to', to);
  if (Object.keys(errors).length > 0) return fail(errors);
  if (givenFrom === undefined && givenTo !== undefined)
    return fail({ from: ['is required together with to'] });
  if (givenFrom !== undefined && givenTo === undefined)
    return fail({ to: ['is required together with from'] });
  const last = givenTo ?? dayAfter(calendar.dayOf(nowMs), 1);
  const window = { from: givenFrom ?? dayAfter(last, -USUAL_DAYS), to: last };
  if (readDay(window.from) === undefined || readDay(window.to) === undefined) return fail({ from: [FORM] });
  if (window.from >= window.to) return fail({ to: ['must be later than from'] });
  if (window.to > END_OF_DAYS) return fail({ to: [`must not be after ${END_OF_DAYS}`] });
  if (pointsOf(window, interval) > MAX_REPORT_POINTS) {
    return fail({
      interval: [`must give at most ${MAX_REPORT_POINTS} points; take a longer one, or a shorter window`],
    });
  }
  return succeed(window);
}

/** The fields to blame for a report of too many days and currencies. */
export function tooManySums(most: number): FieldErrors {
  const message = `gives more than ${most.toLocaleString('en')} sums of a day and currency; take a shorter window, or months`;
  return { from: [message], interval: [message] };
}

/** The days, weeks or months of a window, each by its first day. */
export function beginningsIn({ from, to }: ReportWindow, interval: ReportInterval): readonly Day[] {
  const beginnings: Day[] = [];
  // Terminates: each start is later than the previous one, and `readReportWindow` has bounded their number.
  for (let day = beginningOf(from, interval); day < to; day = nextBeginning(day, interval))
    beginnings.push(day);
  return beginnings;
}

/** The fewest stored sums that cover the window. @param coarsest the longest span of one sum */
export function piecesOf({ from, to }: ReportWindow, coarsest: Level): readonly Piece[] {
  if (coarsest === 'day') return [{ level: 'day', from, to }];
  const levels = (['year', 'month', 'day'] as const).slice(['year', 'month', 'day'].indexOf(coarsest));
  const pieces: Piece[] = [];
  let day = from;
  while (day < to) {
    const level =
      levels.find((one) => beginningOf(day, one) === day && nextBeginning(day, one) <= to) ?? 'day';
    const next = nextBeginning(day, level);
    const last = pieces.at(-1);
    if (last?.level === level) pieces.splice(-1, 1, { ...last, to: next });
    else pieces.push({ level, from: day, to: next });
    day = next;
  }
  return pieces;
}

function pointsOf({ from, to }: ReportWindow, interval: ReportInterval): number {
  const days = daysBetween(from, to);
  return interval === 'day' ? days : Math.ceil(days / (interval === 'week' ? 7 : 28));
}

function readBoundary(text: string, calendar: Calendar): Day | undefined {
  const day = readDay(text);
  if (day !== undefined) return day;
  const instant = parseInstant(text);
  if (instant === undefined || instant.subMillisecond !== '') return undefined;
  const found = calendar.dayOf(instant.epochMs);
  return calendar.startOf(found) === instant.epochMs ? found : undefined;
}
