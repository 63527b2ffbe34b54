/** Rows of a scan over a table in the order of its ids. */
export interface Chunk<T> {
  readonly items: readonly T[];
  /** Id of the last row; undefined for the last chunk. */
  readonly lastId: string | undefined;
}

/** Start of a scan over a table in the order of its ids; no row has this id. */
export const BEFORE_EVERY_ID = '00000000-0000-0000-0000-000000000000';

/** The start of the next chunk. Rows that were deleted before they were locked must not end the scan. */
export function endOf<Row>(rows: readonly Row[], limit: number): Row | undefined {
  return rows.length < limit ? undefined : rows.at(-1);
}
