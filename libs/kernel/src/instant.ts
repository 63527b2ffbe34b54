/**
 * A point in time as a client wrote it: milliseconds for arithmetic and answers, and whatever finer digits it
 * carried, so that two events within one millisecond stay two events.
 */
export interface Instant {
  readonly epochMs: number;
  /** Digits below the millisecond without trailing zeros: `"456"` for `.123456`, `""` for `.123`. */
  readonly subMillisecond: string;
}

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)$/i;
/** Beyond four-digit years nothing here is an event, and Postgres and JavaScript spell them differently. */
const YEAR_9999_MS = 253_402_300_799_999;
const YEAR_0001_MS = -62_135_596_800_000;

/** Reads an ISO 8601 date and time with an offset; undefined for anything else, also for 30 February. */
export function parseInstant(text: string): Instant | undefined {
  const parts = ISO_8601.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '', zone = 'Z'] = parts;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  date.setUTCHours(
    Number(hour),
    Number(minute) - offset,
    Number(second),
    Number(fraction.slice(0, 3).padEnd(3, '0')),
  );
  const epochMs = date.getTime();
  if (epochMs < YEAR_0001_MS || epochMs > YEAR_9999_MS) return undefined;
  return { epochMs, subMillisecond: fraction.slice(3).replace(/0+$/, '') };
}

/** ISO 8601 UTC with milliseconds, as every answer carries it. */
export function formatInstant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
