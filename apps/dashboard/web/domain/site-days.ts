import { localOf } from './site-times.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MS_PER_DAY = 86_400_000;
const MS_PER_HOUR = 3_600_000;
const MS_PER_QUARTER = 900_000;
const DAY_CHARACTERS = 'YYYY-MM-DD'.length;
/** Windows end by the year 9999 (interface page, section 9). */
export const LAST_DAY = '9998-12-31';

/** The calendar day of an instant in a time zone, `YYYY-MM-DD`. */
export function dayOf(at: string, zone: string): string {
  return localOf(at, zone).slice(0, DAY_CHARACTERS);
}

/** A real calendar day, `YYYY-MM-DD`. */
export function isDay(text: unknown): text is string {
  if (typeof text !== 'string' || !DAY.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The day so many days later; calendar days have no clock changes. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * MS_PER_DAY).toISOString().slice(0, 10);
}

/** How many days lie in `from` ≤ day < `to`. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / MS_PER_DAY);
}

/** The first instant of a site's day, ISO 8601 in UTC: where clocks skip midnight it is the first that there is. */
export function startOfDay(day: string, zone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Zones lie within 14 hours of UTC: the day begins in one of these quarters of an hour.
  for (let at = midnight - 14 * MS_PER_HOUR; at <= midnight + 14 * MS_PER_HOUR; at += MS_PER_QUARTER) {
    const instant = new Date(at).toISOString();
    if (dayOf(instant, zone) >= day) return instant;
  }
  return new Date(midnight).toISOString();
}
