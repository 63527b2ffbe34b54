/** Days and what is made of them; weeks begin on Monday. */
export type CalendarInterval = 'day' | 'week' | 'month' | 'year';

/** A day of a site's calendar: `2026-03-01`. Days compare as text. */
export type Day = string;

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
const DAYS_PER_WEEK = 7;
const MONDAY = 1;
/** The widest offset from UTC, plus a quarter of an hour. */
const WIDEST_OFFSET_MS = 15 * 3_600_000;
/** Cached quarters of an hour (more than 100 days), and starts of days. */
const MAX_REMEMBERED = 10_000;
/** What windows of reports must not pass: the next day, week, month or year is then still one that can be written. */
export const END_OF_DAYS: Day = '9999-01-01';
/** The first moment that can be written and stored. In zones east of it the first day begins then, too. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const YEAR_DIGITS = 4;
const FIRST_DAY: Day = '0001-01-01';
const LATE_IN_YEAR: Day = '0001-12-01';
const LAST_DAY: Day = '9999-12-31';
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * The days of one time zone. Every change of a zone's offset since 1972 falls on a quarter of an hour, so
 * that all moments of a quarter have the same day. Earlier local times had odd minutes and seconds, by which
 * a day may be off, here and in the database alike.
 */
export class Calendar {
  private readonly format: Intl.DateTimeFormat;
  private readonly remembered = new Map<number, Day>();
  private readonly starts = new Map<Day, number>();

  /** @param timeZone an IANA name from validated site settings */
  constructor(readonly timeZone: string) {
    this.format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      calendar: 'iso8601',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  }

  dayOf(epochMs: number): Day {
    const quarter = Math.floor(epochMs / QUARTER_MS);
    const known = this.remembered.get(quarter);
    if (known !== undefined) return known;
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    const day = this.formatDay(quarter * QUARTER_MS);
    this.remembered.set(quarter, day);
    return day;
  }

  /** The start of a day: midnight, or the first moment of a day whose clocks skip midnight. */
  startOf(day: Day): number {
    const known = this.starts.get(day);
    if (known !== undefined) return known;
    if (this.starts.size >= MAX_REMEMBERED) this.starts.clear();
    const start = this.findStart(day);
    this.starts.set(day, start);
    return start;
  }

  private findStart(day: Day): number {
    let before = utcOf(day) - WIDEST_OFFSET_MS;
    let after = utcOf(day) + WIDEST_OFFSET_MS;
    // Terminates: the interval halves each time, down to a quarter of an hour.
    while (after - before > QUARTER_MS) {
      const middle = Math.floor((before + after) / 2 / QUARTER_MS) * QUARTER_MS;
      if (this.dayOf(middle) >= day) after = middle;
      else before = middle;
    }
    return Math.max(after, FIRST_MS);
  }

  private formatDay(epochMs: number): Day {
    const parts: Record<string, string> = {};
    for (const { type, value } of this.format.formatToParts(epochMs)) parts[type] = value;
    const year = (parts['year'] ?? '').padStart(YEAR_DIGITS, '0');
    const day = `${year}-${parts['month'] ?? ''}-${parts['day'] ?? ''}`;
    // Local times before the year 1, whose last day is written as that of the year 1, and behind 9999 are of no sale.
    if (epochMs < FIRST_MS + DAY_MS && day > LATE_IN_YEAR) return FIRST_DAY;
    return year.length > YEAR_DIGITS ? LAST_DAY : day;
  }
}

/** @returns undefined for an invalid day, also for 30 February */
export function readDay(text: string): Day | undefined {
  const parts = DAY.exec(text);
  if (parts === null || parts[1] === '0000') return undefined;
  return dayAfter(text, 0) === text ? text : undefined;
}

/** @param days any whole number */
export function dayAfter(day: Day, days: number): Day {
  const moved = utcOf(day) + days * DAY_MS;
  return Number.isNaN(moved) ? '' : new Date(moved).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** From the first day to the second, which may be earlier. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((utcOf(to) - utcOf(from)) / DAY_MS);
}

/** The first day of the week (Monday), month or year that contains a day. */
export function beginningOf(day: Day, interval: CalendarInterval): Day {
  switch (interval) {
    case 'day':
      return day;
    case 'week': {
      const weekday = new Date(utcOf(day)).getUTCDay();
      return dayAfter(day, -((weekday - MONDAY + DAYS_PER_WEEK) % DAYS_PER_WEEK));
    }
    case 'month':
      return `${day.slice(0, 'YYYY-MM'.length)}-01`;
    case 'year':
      return `${day.slice(0, 'YYYY'.length)}-01-01`;
  }
}

/** The first day of the next one. @param beginning of a day, week, month or year */
export function nextBeginning(beginning: Day, interval: CalendarInterval): Day {
  switch (interval) {
    case 'day':
      return dayAfter(beginning, 1);
    case 'week':
      return dayAfter(beginning, DAYS_PER_WEEK);
    case 'month':
      return beginningOf(dayAfter(beginning, LONGEST_MONTH), 'month');
    case 'year':
      return beginningOf(dayAfter(beginning, LONGEST_YEAR), 'year');
  }
}

const LONGEST_MONTH = 31;
const LONGEST_YEAR = 366;

function utcOf(day: Day): number {
  const parts = DAY.exec(day);
  const moment = new Date(0);
  moment.setUTCFullYear(Number(parts?.[1]), Number(parts?.[2]) - 1, Number(parts?.[3]));
  return moment.getTime();
}
