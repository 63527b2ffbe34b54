/**
 * Where a state stands in the history of its key. The incarnation rises whenever the owner's database was
 * restored to an earlier point, where versions start over (docs/operations/restore.md).
 */
export interface Revision {
  /** 0 for a state that names none. */
  readonly incarnation: number;
  /** Rises with each change within an incarnation. */
  readonly version: number;
}

/** The revision before any other. */
export const NO_REVISION: Revision = { incarnation: 0, version: 0 };

/**
 * Negative if the first is older, 0 for the same, positive if it is newer. In SQL: `(incarnation, version)`,
 * compared as a row.
 */
export function compareRevisions(one: Revision, other: Revision): number {
  return one.incarnation - other.incarnation || one.version - other.version;
}
