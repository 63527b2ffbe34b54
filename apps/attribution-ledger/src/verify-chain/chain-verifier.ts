import type { BrokenRecord } from '@truetally/contracts/attribution';
import { CHAIN_START, type CheckedPiece, checkPiece, type Run } from '../domain/check-piece.js';
import type { ChainPieceStore } from '../storage/chain-piece.store.js';
import type { VerificationStore } from '../storage/verification.store.js';

export interface RunPiece {
  readonly run: Run;
  readonly piece: CheckedPiece;
  /** Whether the run has ended, and its result is kept. */
  readonly isEnded: boolean;
}

/** Counts what is verified, and tells what is broken. */
export interface VerificationObserver {
  verified(records: number): void;
  ended(siteId: string, broken: BrokenRecord | null): void;
}

/** Verifies chains of sites in pieces of bounded memory and time, and keeps each result. */
export class ChainVerifier {
  constructor(
    private readonly pieces: ChainPieceStore,
    private readonly results: VerificationStore,
    private readonly observer: VerificationObserver,
  ) {}

  /** Verifies the next piece of a run. A repetition has the same result. */
  async next(siteId: string, run: Run): Promise<RunPiece> {
    // First, as it may be moved by another run: the records that are read behind it have all of what it covers.
    const { sound } = await this.results.read(siteId);
    const read = await this.pieces.read(siteId, run.place);
    const piece = checkPiece(run.place, sound, read);
    this.observer.verified(piece.checked);
    const next = { ...run, place: piece.place };
    const isEnded = piece.broken !== null || read.isEnd;
    if (isEnded) {
      await this.results.keep(siteId, next, piece.broken);
      this.observer.ended(siteId, piece.broken);
    }
    return { run: next, piece, isEnded };
  }
}

/** A run over the records from a position on. @param startedAt ISO 8601 UTC with milliseconds */
export function runFrom(from: string, startedAt: string): Run {
  const before = String(BigInt(from) - 1n);
  const hash = before === CHAIN_START.sequence ? CHAIN_START.hash : null;
  return { from, place: { sequence: before, hash, recordedAt: '' }, startedAt };
}
