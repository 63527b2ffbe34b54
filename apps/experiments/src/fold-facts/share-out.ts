import type { FactsToFold } from './read-facts.js';

/**
 * Of one site in one call: beyond it the rest waits for its turn, because one order may name fifty sessions, and
 * the facts of all sites wait for each other.
 */
export const SHARE_OF_SITE = 1_000;
/** Assignments and records of one transaction: some tens of milliseconds. */
export const ROWS_AT_ONCE = 1_000;

export interface SharedOut {
  /** Folded now, in transactions of at most `ROWS_AT_ONCE`. */
  readonly now: readonly FactsToFold[];
  /** Set aside. */
  readonly later: FactsToFold;
}

/**
 * Divides what came at once, so that the work of one site delays the others by a bounded time.
 * @param isSlow sites whose facts are set aside at once, because their last ones could not be folded in time
 */
export function shareOut(facts: FactsToFold, isSlow: (siteId: string) => boolean): SharedOut {
  const taken = new Map<string, number>();
  const now = new Pieces();
  const later = new Pieces(Infinity);
  const isTaken = (siteId: string): boolean => {
    const count = (taken.get(siteId) ?? 0) + 1;
    taken.set(siteId, count);
    return count <= SHARE_OF_SITE && !isSlow(siteId);
  };
  for (const fact of facts.assigned) (isTaken(fact.site_id) ? now : later).next().assigned.push(fact);
  for (const record of facts.records) (isTaken(record.siteId) ? now : later).next().records.push(record);
  return { now: now.all, later: later.all[0] ?? NOTHING };
}

/** The same facts, one part per site. */
export function bySite({ assigned, records }: FactsToFold): ReadonlyMap<string, FactsToFold> {
  const sites = new Map<string, Piece>();
  const of = (siteId: string): Piece => {
    const known = sites.get(siteId) ?? { assigned: [], records: [] };
    sites.set(siteId, known);
    return known;
  };
  for (const fact of assigned) of(fact.site_id).assigned.push(fact);
  for (const record of records) of(record.siteId).records.push(record);
  return sites;
}

const NOTHING: FactsToFold = { assigned: [], records: [] };

interface Piece {
  readonly assigned: FactsToFold['assigned'][number][];
  readonly records: FactsToFold['records'][number][];
}

class Pieces {
  readonly all: Piece[] = [];

  constructor(private readonly rows = ROWS_AT_ONCE) {}

  /** The piece that has room. */
  next(): Piece {
    const last = this.all.at(-1);
    if (last !== undefined && last.assigned.length + last.records.length < this.rows) return last;
    const piece: Piece = { assigned: [], records: [] };
    this.all.push(piece);
    return piece;
  }
}
