import {
  type BrokenRecord,
  type ChainVerification,
  FIRST_PREVIOUS_HASH,
} from '@truetally/contracts/attribution';
import type { KeptSeal } from './check-piece.js';

/** A verification that has ended: at the chain's end, or at the first broken record. */
export interface Verification {
  readonly from_sequence: string;
  /** The last sound record. */
  readonly to_sequence: string;
  readonly to_hash: string;
  readonly started_at: string;
  readonly finished_at: string;
}

/** What is known of a chain by all of its verifications. */
export interface VerifiedChain {
  readonly last: Verification | null;
  readonly broken: BrokenRecord | null;
  /** Up to it every record was sound, one after another from the first. */
  readonly sound: KeptSeal;
}

export const NEVER_VERIFIED: VerifiedChain = {
  last: null,
  broken: null,
  sound: { sequence: '0', hash: FIRST_PREVIOUS_HASH },
};

/**
 * What is known after another verification. A broken record is forgotten only by a sound verification that includes it;
 * the seal that the chain must still have is never moved by a broken one.
 */
export function afterVerification(
  known: VerifiedChain,
  last: Verification,
  broken: BrokenRecord | null,
): VerifiedChain {
  if (broken !== null) return { ...known, last, broken };
  const [from, to] = [BigInt(last.from_sequence), BigInt(last.to_sequence)];
  const isIncluded = known.broken !== null && includes(from, to, BigInt(known.broken.sequence));
  const isContinued = from <= BigInt(known.sound.sequence) + 1n && to >= BigInt(known.sound.sequence);
  return {
    last,
    broken: isIncluded ? null : known.broken,
    sound: isContinued ? { sequence: last.to_sequence, hash: last.to_hash } : known.sound,
  };
}

/** A record that was missing behind the end is included when the chain is sound up to its new end. */
function includes(from: bigint, to: bigint, sequence: bigint): boolean {
  return from <= sequence && sequence <= to + 1n;
}

/** As it is answered; null before the first verification. */
export function presentVerification({ last, broken }: VerifiedChain): ChainVerification | null {
  return last === null ? null : { state: broken === null ? 'sound' : 'broken', ...last, broken };
}
