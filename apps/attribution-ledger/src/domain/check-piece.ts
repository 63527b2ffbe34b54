import {
  type BrokenRecord,
  ChainCheck,
  FIRST_PREVIOUS_HASH,
  type LedgerRow,
  OrderCheck,
} from '@truetally/contracts/attribution';
import { conversionIdOf } from './names.js';

/** The last record of a chain that was verified; `0` before the first. */
export interface ChainPlace {
  readonly sequence: string;
  /** Null: whatever the record carries, because the verification begins after it. */
  readonly hash: string | null;
  /** Postgres' text. */
  readonly recordedAt: string;
}

/** A verification under way. */
export interface Run {
  readonly from: string;
  readonly place: ChainPlace;
  readonly startedAt: string;
}

/** What an earlier verification has found: the chain must still have this seal there. */
export interface KeptSeal {
  readonly sequence: string;
  readonly hash: string;
}

/** Records of one snapshot. */
export interface ChainPiece {
  readonly siteId: string;
  readonly head: KeptSeal | null;
  /** The record at the place itself, then those after it. */
  readonly rows: readonly LedgerRow[];
  /** Of each order in `rows`, the records that stand where its first one follows, all of them before the piece. */
  readonly before: readonly LedgerRow[];
  /** Whether no other record follows. */
  readonly isEnd: boolean;
}

export interface CheckedPiece {
  /** The last sound record. */
  readonly place: ChainPlace;
  readonly checked: number;
  readonly broken: BrokenRecord | null;
}

export const CHAIN_START: ChainPlace = { sequence: '0', hash: FIRST_PREVIOUS_HASH, recordedAt: '' };

/**
 * Verifies one piece of a chain by the rules of `ledger:verify`. An order's records before the piece were verified with
 * theirs, so that the last of them stands for all.
 */
export function checkPiece(start: ChainPlace, kept: KeptSeal, piece: ChainPiece): CheckedPiece {
  const { siteId, rows } = piece;
  const isFirst = start.sequence === CHAIN_START.sequence;
  const [overlap] = isFirst ? [] : rows;
  const missing = isFirst ? null : faultOfStart(start, kept, overlap);
  if (missing !== null) return { place: start, checked: 0, broken: missing };
  let place = overlap === undefined ? start : placeOf(overlap);
  const chain = new ChainCheck([], [{ site_id: siteId, ...kept }]);
  chain.resume(siteId, place);
  const orders = new OrderCheck();
  for (const row of piece.before) orders.know(row);
  let checked = 0;
  for (const row of rows.slice(isFirst ? 0 : 1)) {
    const reason = chain.check(row) ?? named(row) ?? orders.check(row);
    if (reason !== null) return { place, checked, broken: brokenAt(row, reason) };
    place = placeOf(row);
    checked += 1;
  }
  return { place, checked, broken: piece.isEnd ? faultOfEnd(place, kept, piece.head) : null };
}

function placeOf({ chain_sequence, hash, recorded_at }: LedgerRow): ChainPlace {
  return { sequence: chain_sequence ?? '', hash: hash ?? '', recordedAt: recorded_at ?? '' };
}

function faultOfStart(
  { sequence, hash }: ChainPlace,
  kept: KeptSeal,
  row: LedgerRow | undefined,
): BrokenRecord | null {
  if (row?.chain_sequence !== sequence) return missingAt(sequence, 'it is missing');
  // Of a record that only links to the first of this run, an earlier verification may know the seal.
  const known = hash ?? (kept.sequence === sequence ? kept.hash : null);
  if (known === null || row.hash === known) return null;
  return brokenAt(row, `it was verified with the seal ${known}, and carries ${row.hash}`);
}

/** Ids are made of names: an order that somebody gave another one would escape the rules of its order. */
function named({ site_id, order_id, conversion_id }: LedgerRow): string | null {
  const expected = conversionIdOf(site_id ?? '', order_id ?? '');
  return conversion_id === expected
    ? null
    : `its conversion is ${conversion_id}, and that of its order ${expected}`;
}

function faultOfEnd(last: ChainPlace, kept: KeptSeal, head: KeptSeal | null): BrokenRecord | null {
  const next = String(BigInt(last.sequence) + 1n);
  if (BigInt(kept.sequence) > BigInt(last.sequence)) {
    return missingAt(
      next,
      `record ${kept.sequence} was verified with the seal ${kept.hash}, and the chain ends before`,
    );
  }
  if (head === null) return last.sequence === '0' ? null : missingAt(next, 'the chain has no head');
  if (head.sequence === last.sequence && head.hash === last.hash) return null;
  return missingAt(
    next,
    `the chain must end with record ${head.sequence} and seal ${head.hash}, and ends with record ${last.sequence}`,
  );
}

function missingAt(sequence: string, reason: string): BrokenRecord {
  return { sequence, record_id: null, order_id: null, reason };
}

function brokenAt({ chain_sequence, record_id, order_id }: LedgerRow, reason: string): BrokenRecord {
  return { sequence: chain_sequence ?? '', record_id, order_id, reason };
}
