/** Some rows of a walk over a table in the order of its ids. */
export interface Chunk<T> {
  readonly items: readonly T[];
  /** After which the next chunk begins; undefined when this one was the last. */
  readonly lastId: string | undefined;
}

/** A walk over a table in the order of its ids begins after this one, which no row has. */
export const BEFORE_EVERY_ID = '00000000-0000-0000-0000-000000000000';

/** The row after which the next chunk begins; rows that are gone by the time they are held must not end the walk. */
export function endOf<Row>(rows: readonly Row[], limit: number): Row | undefined {
  return rows.length < limit ? undefined : rows.at(-1);
}
