import { timeZoneOf, TIME_ZONE_FORM } from '../management/locale.js';
import {
  ListOf,
  Matching,
  NestedList,
  NonEmptyText,
  NumberWithin,
  OrAbsent,
} from '../validation/decorators.js';
import { OrNull, Readable, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';
import { nonEmptyText } from '../validation/rules.js';

/** Whole days before today (interface page, section 7). */
export const ELIGIBLE_DAYS = { min: 1, max: 90, usual: 28 } as const;

const NAMES = { min: 0, max: 1_000 };
const NAME = { max: 255 };

/** The message of `read-eligible-sessions`. */
export class AskEligibleSessions {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @WholeNumber(ELIGIBLE_DAYS) readonly days!: number;
  /** Of one touch; empty: any. */
  @ListOf(nonEmptyText(NAME), NAMES) readonly providers!: readonly string[];
  @ListOf(nonEmptyText(NAME), NAMES) readonly partner_ids!: readonly string[];
}

/** Sessions of one day. */
export class EligibleDay {
  @Matching(/^\d{4}-\d{2}-\d{2}$/, 'a date') readonly date!: string;
  @WholeNumber(COUNT) readonly sessions!: number;
}

/** `data` of `GET /partner-experiments/eligible-sessions`. */
export class EligibleSessions {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Readable(timeZoneOf, TIME_ZONE_FORM, 'time-zone') readonly timezone!: string;
  /** Facts up to then are in it. */
  @Timestamp() readonly as_of!: string;
  /** By the first touch that meets the eligibility, oldest first. */
  @NestedList(() => EligibleDay, { min: 1, max: ELIGIBLE_DAYS.max }) readonly days!: readonly EligibleDay[];
  /** Over the days since the site's first touch, at most all of them. */
  @OrNull() @NumberWithin({ min: 0, max: Number.MAX_SAFE_INTEGER }) readonly mean_per_day!: number | null;
  /** Why there is no mean. */
  @OrAbsent() @NonEmptyText({ max: 200 }) readonly reason?: string;
}
