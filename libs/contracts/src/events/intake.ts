import { API_KEY_PREFIX_PATTERN } from '../credentials/api-key.js';
import { timeZoneOf, TIME_ZONE_FORM } from '../management/locale.js';
import { Flag, Matching, NestedList, NonEmptyText, OneOf, OrNull } from '../validation/decorators.js';
import { Readable, Timestamp, WholeNumber } from '../validation/decorators.js';
import { COUNT, UUID, UUID_FORM } from '../validation/forms.js';

/** Reasons of a site's hour; further ones are counted together (interface page, section 4). */
export const MAX_REASONS = 50;
/** Of the reason that stands for the further ones. */
export const OTHER_REASONS = 'other';

/** 31 days of a site's calendar: one on which clocks go back has an hour more, and days of some zones begin within an hour. */
export const MAX_INTAKE_HOURS = 746;

const HOURS = { min: 0, max: MAX_INTAKE_HOURS };
const REASONS = { min: 0, max: MAX_REASONS + 1 };
const STATUSES = { min: 0, max: 100 };
const STATUS = { min: 100, max: 599 };
const NAME = { max: 256 };
/** Keys of a site, of which the operator sets the quota, and the two others. */
const ALLOWANCES = { min: 2, max: 100_000 };

/** The message of `read-intake`: whole clock hours, `from` ≤ hour < `to`. */
export class ReadIntake {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Timestamp() readonly from!: string;
  @Timestamp() readonly to!: string;
}

/** Items of an hour that failed for one reason. */
export class RefusalReason {
  /** As in the answer to the item; `other` for all reasons beyond the most frequent ones. */
  @NonEmptyText(NAME) readonly code!: string;
  /** The first broken field's path, without indexes; null where no field is named. */
  @OrNull() @NonEmptyText(NAME) readonly field!: string | null;
  @WholeNumber(COUNT) readonly count!: number;
}

/** Requests of an hour that were refused whole; their events are not in `received`. */
export class RefusedRequests {
  @WholeNumber(STATUS) readonly status!: number;
  @WholeNumber(COUNT) readonly count!: number;
}

/** One clock hour (UTC) of a site: received = stored + deduplicated + failed. */
export class IntakeHour {
  @Timestamp() readonly start!: string;
  @WholeNumber(COUNT) readonly received!: number;
  @WholeNumber(COUNT) readonly stored!: number;
  @WholeNumber(COUNT) readonly deduplicated!: number;
  @WholeNumber(COUNT) readonly failed!: number;
  /** received = stored + deduplicated + failed, and failed = the sum of the reasons. */
  @Flag() readonly balanced!: boolean;
  /** The most frequent first; they sum to `failed`. */
  @NestedList(() => RefusalReason, REASONS) readonly reasons!: readonly RefusalReason[];
  @NestedList(() => RefusedRequests, STATUSES) readonly refused_requests!: readonly RefusedRequests[];
}

/** The answer of `read-intake`: every hour that was asked for, oldest first. */
export class IntakeCounts {
  /** When the counters were read, in one snapshot. */
  @Timestamp() readonly as_of!: string;
  /** When the site's newest event was stored; null without one. */
  @OrNull() @Timestamp() readonly last_event_at!: string | null;
  /** When an item or a whole request was last refused. */
  @OrNull() @Timestamp() readonly last_refused_at!: string | null;
  @NestedList(() => IntakeHour, HOURS) readonly hours!: readonly IntakeHour[];
}

/** Whose requests an hourly limit counts. */
export const ALLOWANCE_KINDS = ['api_key', 'runtime', 'workspace'] as const;
/** One of `ALLOWANCE_KINDS`. */
export type AllowanceKind = (typeof ALLOWANCE_KINDS)[number];

/** An hourly limit and what is left of it, by the counters of the rate-limit headers. */
export class IntakeAllowance {
  @OneOf(ALLOWANCE_KINDS) readonly kind!: AllowanceKind;
  /** Null but for a key; keys of one rotation share a limit. */
  @OrNull() @Matching(UUID, UUID_FORM) readonly key_id!: string | null;
  @OrNull() @Matching(API_KEY_PREFIX_PATTERN, 'the beginning of a key') readonly prefix!: string | null;
  @WholeNumber(COUNT) readonly limit!: number;
  /** Of this clock hour (UTC); more than the limit where that was lowered meanwhile. */
  @WholeNumber(COUNT) readonly used!: number;
  @WholeNumber(COUNT) readonly remaining!: number;
  @Timestamp() readonly resets_at!: string;
}

/** `data` of `GET /sites/{id}/intake` (interface page, section 9). */
export class SiteIntake extends IntakeCounts {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Readable(timeZoneOf, TIME_ZONE_FORM, 'time-zone') readonly timezone!: string;
  /** The keys in force by prefix, then the site's runtime tokens, then the workspace's ID tokens. */
  @NestedList(() => IntakeAllowance, ALLOWANCES) readonly allowances!: readonly IntakeAllowance[];
}
