/** Units of time; a quarter is of an hour, which every zone's days and hours are made of. */
export const MICROS_PER_MS = 1_000;
export const QUARTER_MS = 900_000;
export const QUARTER_MICROS = QUARTER_MS * MICROS_PER_MS;
export const HOUR_MS = 3_600_000;
export const HOUR_MICROS = HOUR_MS * MICROS_PER_MS;

export const QUARTERS_PER_DAY = 96;

/** The quarter of an hour since 1970 that holds a moment. */
export function quarterOf(micros: number): number {
  return Math.floor(micros / QUARTER_MICROS);
}

/** The UTC day since 1970 that holds a quarter. */
export function dayOf(quarter: number): number {
  return Math.floor(quarter / QUARTERS_PER_DAY);
}
