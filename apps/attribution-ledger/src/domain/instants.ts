/**
 * An instant in Postgres' UTC format (`2026-01-31 09:30:00.12+00`), which is sealed. Two of them compare as
 * text, because `+` sorts before `.` and before every digit.
 */
export type InstantColumn = string;

/** In the format of answers: ISO 8601 UTC with milliseconds. */
export function toMilliseconds(column: InstantColumn): string {
  const [second = '', fraction = ''] = partsOf(column);
  return `${second}.${fraction.slice(0, MILLISECOND_DIGITS).padEnd(MILLISECOND_DIGITS, '0')}Z`;
}

/** In the format of facts: with all digits below the millisecond. */
export function toInstant(column: InstantColumn): string {
  const [second = '', fraction = ''] = partsOf(column);
  return `${second}.${fraction.padEnd(MILLISECOND_DIGITS, '0')}Z`;
}

/**
 * The instant so many days of 24 hours earlier, to the microsecond. Before the year 0 it sorts below every
 * instant.
 */
export function daysBefore(column: InstantColumn, days: number): InstantColumn {
  const [second = '', fraction] = partsOf(column);
  const earlier = new Date(Date.parse(`${second}Z`) - days * DAY_MS).toISOString();
  const [date = '', time = ''] = earlier.replace(/\.000Z$/, '').split('T');
  return `${date} ${time}${fraction === undefined ? '' : `.${fraction}`}+00`;
}

const DAY_MS = 86_400_000;
const MILLISECOND_DIGITS = 3;

function partsOf(column: InstantColumn): readonly string[] {
  return column.replace(' ', 'T').replace('+00', '').split('.');
}
