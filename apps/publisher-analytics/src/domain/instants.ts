import { formatInstant, type Instant } from '@truetally/kernel';

/**
 * A time to the microsecond, always with six digits (`2026-01-31T09:30:00.120000Z`): Postgres' precision, and
 * comparable as text.
 */
export type MicroInstant = string;

const MICROSECOND_DIGITS = 3;

export function toMicroInstant({ epochMs, subMillisecond }: Instant): MicroInstant {
  const finer = subMillisecond.slice(0, MICROSECOND_DIGITS).padEnd(MICROSECOND_DIGITS, '0');
  return `${formatInstant(epochMs).slice(0, -1)}${finer}Z`;
}

/** In the format of answers. */
export function toMilliseconds(instant: MicroInstant): string {
  return `${instant.slice(0, 'YYYY-MM-DDTHH:MM:SS.mmm'.length)}Z`;
}

/** @throws for an invalid time: it was validated on arrival */
export function epochMsOf(instant: string): number {
  const epochMs = Date.parse(instant);
  if (Number.isNaN(epochMs)) throw new Error('What is kept as a time is one.');
  return epochMs;
}
