import { sha256 } from '@noble/hashes/sha2.js';

/** What decides of a session; none of it changes once the experiment has started. */
export interface AssignmentRule {
  /** Lower-case hexadecimal digits, of this experiment alone. */
  readonly salt: string;
  /** The share of eligible sessions that take part, 0–1. */
  readonly traffic: number;
  /** The share of control among those that take part, 0–1; the rest is treatment. */
  readonly control: number;
}

export type Variant = 'control' | 'treatment';

/**
 * The arm of a session as a pure function of salt and session id, so that an SDK in any language reproduces it: the
 * recipe and its test vectors are docs/experiments/assignment.md (interface page, section 7).
 * @returns null for a session that is outside of the experiment's traffic
 */
export function assignArm(rule: AssignmentRule, sessionId: string): Variant | null {
  if (placeOf(rule.salt, 'traffic', sessionId) >= rule.traffic) return null;
  return placeOf(rule.salt, 'arm', sessionId) < rule.control ? 'control' : 'treatment';
}

/**
 * Where a session stands in a gate, evenly from 0 (included) to 1 (not included). Each gate hashes its own name too, so
 * that more traffic later in another experiment says nothing of the arm.
 */
export function placeOf(salt: string, gate: 'traffic' | 'arm', sessionId: string): number {
  const digest = sha256(ENCODER.encode(`${salt}:${gate}:${sessionId}`));
  let bucket = 0;
  for (const byte of digest.subarray(0, BUCKET_BYTES)) bucket = bucket * BYTE_VALUES + byte;
  return bucket / BUCKETS;
}

const ENCODER = new TextEncoder();
/** 48 bits: every bucket, and its division by a power of two, is exact in a double. */
const BUCKET_BYTES = 6;
const BYTE_VALUES = 256;
const BUCKETS = BYTE_VALUES ** BUCKET_BYTES;
