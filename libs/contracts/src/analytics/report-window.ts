import { timeZoneOf, TIME_ZONE_FORM } from '../management/locale.js';
import { Matching, Nested, OrAbsent, OrNull, Readable, Text, Timestamp } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';

/** Intervals of a series, of the site's time zone. */
export const SERIES_INTERVALS = ['hour', 'day'] as const;
/** One of `SERIES_INTERVALS`. */
export type SeriesInterval = (typeof SERIES_INTERVALS)[number];

/** Points of a series (interface page, section 9). */
export const MAX_SERIES_POINTS = 3_660;

const DATE = { max: 100 };

/** What every report is asked: the service judges the dates, in the site's time zone. */
export class AskReport {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  /** A date of the site's calendar, or an instant; null with `to` null: the 30 days up to and including today. */
  @OrNull() @Text(DATE) readonly from!: string | null;
  @OrNull() @Text(DATE) readonly to!: string | null;
}

/** The half-open time that a report covers. */
export class CoveredWindow {
  @Timestamp() readonly from!: string;
  @Timestamp() readonly to!: string;
}

/** What every report of analytics says of itself. */
export class AnalyticsReport {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Nested(() => CoveredWindow) readonly window!: CoveredWindow;
  @Readable(timeZoneOf, TIME_ZONE_FORM, 'time-zone') readonly timezone!: string;
  /** Facts up to then are in it. */
  @Timestamp() readonly as_of!: string;
  /** What is counted by events of before is too small: they are forgotten. Absent where the report needs none of them. */
  @OrAbsent() @Timestamp() readonly events_kept_since?: string;
}

/** An amount in major units: exact, and of any size, as observed revenue may be. */
export const AMOUNT = /^-?\d+(\.\d+)?$/;
export const AMOUNT_FORM = 'a decimal string';
