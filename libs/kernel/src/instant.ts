/**
 * A point in time as a client wrote it: milliseconds for arithmetic and answers, and all finer digits, so
 * that two events within one millisecond stay distinct.
 */
export interface Instant {
  readonly epochMs: number;
  /** Digits below the millisecond without trailing zeros: `"456"` for `.123456`, `""` for `.123`. */
  readonly subMillisecond: string;
}

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)$/i;
/** Postgres and JavaScript spell later years differently, and no event needs them. */
const YEAR_9999_MS = 253_402_300_799_999;
const YEAR_0001_MS = -62_135_596_800_000;

/** Reads an ISO 8601 date and time with an offset; undefined for anything else, also for 30 February. */
export function parseInstant(text: string): Instant | undefined {
  if (isCanonical(text)) return parseCanonical(text);
  const parts = ISO_8601.exec(text);
  if (parts === null) return undefined;
  const fraction = parts[7] ?? '';
  const offset = offsetMinutes(parts[8] ?? 'Z');
  if (offset === undefined) return undefined;
  const epochMs = epochOf({
    year: Number(parts[1]),
    month: Number(parts[2]),
    day: Number(parts[3]),
    hour: Number(parts[4]),
    minute: Number(parts[5]),
    second: Number(parts[6] ?? 0),
    millisecond: fraction === '' ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0')),
    offset,
  });
  if (epochMs === undefined) return undefined;
  return { epochMs, subMillisecond: fraction.length > 3 ? fraction.slice(3).replace(/0+$/, '') : '' };
}

const CANONICAL = '0000-00-00T00:00:00.000Z';
const ZERO = 0x30;
const NINE = 0x39;

/** Whether it has the form of `formatInstant`, as what most clients send: it is read without matching, in a fifth of the time. */
function isCanonical(text: string): boolean {
  if (text.length !== CANONICAL.length) return false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const form = CANONICAL.charCodeAt(at);
    if (form === ZERO ? code < ZERO || code > NINE : code !== form) return false;
  }
  return true;
}

/** The last one that was read or written: an event's time is written again as it came, and answers come in bursts. */
let last = { epochMs: 0, text: '1970-01-01T00:00:00.000Z' };

function parseCanonical(text: string): Instant | undefined {
  const two = (at: number): number => (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
  const epochMs = epochOf({
    year: two(0) * 100 + two(2),
    month: two(5),
    day: two(8),
    hour: two(11),
    minute: two(14),
    second: two(17),
    millisecond: two(20) * 10 + text.charCodeAt(22) - ZERO,
    offset: 0,
  });
  if (epochMs === undefined) return undefined;
  last = { epochMs, text };
  return { epochMs, subMillisecond: '' };
}

interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** Minutes ahead of UTC. */
  readonly offset: number;
}

function epochOf(fields: Fields): number | undefined {
  const { year, month, day, hour, minute, second, millisecond, offset } = fields;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(month, year)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  // Date.UTC maps the years 0 to 99 to 1900 to 1999. The calendar repeats every 400 years.
  const epochMs =
    Date.UTC(year + YEARS_PER_CYCLE, month - 1, day, hour, minute - offset, second, millisecond) - CYCLE_MS;
  return epochMs < YEAR_0001_MS || epochMs > YEAR_9999_MS ? undefined : epochMs;
}

const YEARS_PER_CYCLE = 400;
const CYCLE_MS = 146_097 * 86_400_000;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysIn(month: number, year: number): number {
  const isLeap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
}

/** ISO 8601 UTC with milliseconds, as every answer carries it. */
export function formatInstant(epochMs: number): string {
  if (epochMs !== last.epochMs) last = { epochMs, text: new Date(epochMs).toISOString() };
  return last.text;
}

const MICROSECOND_DIGITS = 3;

/** The same to the microsecond, Postgres' precision: one text per instant. */
export function formatInstantPrecisely({ epochMs, subMillisecond }: Instant): string {
  const text = formatInstant(epochMs);
  const finer = subMillisecond.slice(0, MICROSECOND_DIGITS).replace(/0+$/, '');
  return finer === '' ? text : `${text.slice(0, -1)}${finer}Z`;
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
