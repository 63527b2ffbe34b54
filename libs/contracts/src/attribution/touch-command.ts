import { type Reply } from '@truetally/kernel';
import {
  Identifier,
  Matching,
  NestedList,
  OneOf,
  OrNull,
  Text,
  Timestamp,
} from '../validation/decorators.js';
import { PROVIDER, PROVIDER_FORM, UUID, UUID_FORM } from '../validation/forms.js';

const ID = { max: 128 };
const PATH = { max: 2_048 };
/** Touches of one request (interface page, section 5); a site may allow fewer. */
export const MAX_TOUCHES_PER_REQUEST = 20;

/** Whether a partner sent the visitor to the shop, or the shop sent the visitor to a partner. */
export const TOUCH_DIRECTIONS = ['inbound', 'outbound'] as const;
/** One of `TOUCH_DIRECTIONS`. */
export type TouchDirection = (typeof TOUCH_DIRECTIONS)[number];
/** What recorded a touch. */
export const TOUCH_PROVENANCES = ['browser_sdk', 'native_sdk', 'server'] as const;
/** One of `TOUCH_PROVENANCES`. */
export type TouchProvenance = (typeof TOUCH_PROVENANCES)[number];

/** A click value after the gateway: always encrypted. */
export interface SealedClick {
  readonly key_id: string;
  /** AES-256-GCM, bound to site and touch: base64 of nonce, ciphertext and tag. */
  readonly sealed: string;
  /** Keyed hash (HMAC-SHA-256) for matching, 64 hexadecimal digits. */
  readonly hash: string;
}

/** One touch after normalisation: times are instants, paths have no query. */
export interface TouchCommand {
  readonly touch_id: string;
  readonly provider: string;
  readonly direction: TouchDirection;
  readonly partner_id: string | null;
  readonly landing_path: string | null;
  /** ISO 8601 UTC, to the microsecond at most. */
  readonly occurred_at: string;
  readonly provenance: TouchProvenance;
  readonly session_id: string | null;
  readonly click: SealedClick | null;
  /**
   * SHA-256 over all fields above, with the click's keyed hash in place of its value: 64 hexadecimal digits.
   */
  readonly fingerprint: string;
}

/** `attribution-ledger.record-touches`: all or none. Each `touch_id` is unique. */
export interface RecordTouches {
  readonly site_id: string;
  readonly request_id: string;
  readonly touches: readonly TouchCommand[];
}

const TOUCH_VERDICTS = ['created', 'unchanged'] as const;

/** An accepted touch. */
export class TouchVerdict {
  @Identifier(ID) readonly touch_id!: string;
  @Matching(UUID, UUID_FORM) readonly id!: string;
  @OneOf(TOUCH_VERDICTS) readonly status!: (typeof TOUCH_VERDICTS)[number];
  /** Time of the first acceptance: ISO 8601 UTC with milliseconds. */
  @Timestamp() readonly recorded_at!: string;
}

/** `data` of `POST /partner-attribution/touches`, in the order of the request. */
export class RecordedTouches {
  @NestedList(() => TouchVerdict, { min: 1, max: MAX_TOUCHES_PER_REQUEST })
  readonly touches!: readonly TouchVerdict[];
}

/**
 * In the order of the request. A known touch id with other content: `CONFLICT`, details by
 * `touches.<n>.touch_id`.
 */
export type RecordTouchesReply = Reply<{ readonly touches: readonly TouchVerdict[] }>;

/** The public fields of a touch: all but the click value. */
export class TouchResource {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  @Identifier(ID) readonly touch_id!: string;
  @Matching(PROVIDER, PROVIDER_FORM) readonly provider!: string;
  @OneOf(TOUCH_DIRECTIONS) readonly direction!: TouchDirection;
  @OrNull() @Identifier(ID) readonly partner_id!: string | null;
  @OrNull() @Text(PATH) readonly landing_path!: string | null;
  @Timestamp() readonly occurred_at!: string;
  @OneOf(TOUCH_PROVENANCES) readonly provenance!: TouchProvenance;
  @OrNull() @Identifier(ID) readonly session_id!: string | null;
  @Timestamp() readonly recorded_at!: string;
}
