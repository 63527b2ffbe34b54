import { sha256 } from '@noble/hashes/sha2.js';

/** The inputs of a session's assignment; none changes after the experiment has started. */
export interface AssignmentRule {
  /** Lower-case hexadecimal digits, unique to this experiment. */
  readonly salt: string;
  /** The share of eligible sessions that take part, 0–1. */
  readonly traffic: number;
  /** The share of control among participating sessions, 0–1; the rest is treatment. */
  readonly control: number;
}

export type Variant = 'control' | 'treatment';

/**
 * The arm of a session as a pure function of salt and session id, so that an SDK in any language can
 * reproduce it: recipe and test vectors are in docs/experiments/assignment.md (interface page, section 7).
 * @returns null for a session outside of the experiment's traffic
 */
export function assignArm(rule: AssignmentRule, sessionId: string): Variant | null {
  if (placeOf(rule.salt, 'traffic', sessionId) >= rule.traffic) return null;
  return placeOf(rule.salt, 'arm', sessionId) < rule.control ? 'control' : 'treatment';
}

/**
 * Position of a session in a gate, uniform from 0 (inclusive) to 1 (exclusive). Each gate hashes its own
 * name, so that the traffic gate is independent of the arm.
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
