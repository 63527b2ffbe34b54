import { type Reply } from '@truetally/kernel';

export const TOUCH_DIRECTIONS = ['inbound', 'outbound'] as const;
export type TouchDirection = (typeof TOUCH_DIRECTIONS)[number];
export const TOUCH_PROVENANCES = ['browser_sdk', 'native_sdk', 'server'] as const;
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

export interface TouchVerdict {
  readonly touch_id: string;
  readonly id: string;
  readonly status: 'created' | 'unchanged';
  /** Time of the first acceptance: ISO 8601 UTC with milliseconds. */
  readonly recorded_at: string;
}

/**
 * In the order of the request. A known touch id with other content: `CONFLICT`, details by
 * `touches.<n>.touch_id`.
 */
export type RecordTouchesReply = Reply<{ readonly touches: readonly TouchVerdict[] }>;

/** `attribution-ledger.list-touches`: newest first. */
export interface ListTouches {
  readonly site_id: string;
  /** 1–200. */
  readonly limit: number;
  readonly cursor: string | null;
}

/** The public fields of a touch: all but the click value. */
export interface TouchResource {
  readonly id: string;
  readonly touch_id: string;
  readonly provider: string;
  readonly direction: TouchDirection;
  readonly partner_id: string | null;
  readonly landing_path: string | null;
  readonly occurred_at: string;
  readonly provenance: TouchProvenance;
  readonly session_id: string | null;
  readonly recorded_at: string;
}

/** An invalid cursor: `VALIDATION_ERROR` naming `cursor`. */
export type ListTouchesReply = Reply<{
  readonly items: readonly TouchResource[];
  readonly next_cursor: string | null;
}>;
