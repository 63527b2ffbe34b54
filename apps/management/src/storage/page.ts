import type { ManagementQuery, Page, Resource } from '@truetally/contracts';
import { cursorOf, type Failure, readCursor } from '@truetally/kernel';
import type { ClientBase, QueryResultRow } from 'pg';
import { refusals } from '../domain/refusals.js';

/** A pool or one of its clients. */
export type Queryable = Pick<ClientBase, 'query'>;

/** Where a list's rows are, without their order: newest first, by `created_at` and then by the id's column. */
export interface Listing<Row extends QueryResultRow, R extends Resource> {
  readonly columns: string;
  /** A table, or tables and how they are joined. */
  readonly from: string;
  readonly idColumn: string;
  readonly createdColumn: string;
  /** SQL that every row fulfils; `$1`, `$2` … are `values`. */
  readonly where: readonly string[];
  readonly values: readonly unknown[];
  readonly toResource: (row: Row) => R;
}

/**
 * One page, by keyset: its cost is that of its own rows, however many stand before it. The listing needs an index
 * that begins with what `where` compares and ends with the creation time and the id.
 */
export async function readPage<Row extends QueryResultRow, R extends Resource>(
  client: Queryable,
  { limit, cursor }: Pick<ManagementQuery, 'cursor' | 'limit'>,
  listing: Listing<Row, R>,
): Promise<{ readonly ok: Page<R> } | { readonly error: Failure }> {
  const position = cursor === null ? undefined : readCursor(cursor);
  if (cursor !== null && position === undefined) return refusals.badCursor();
  const { columns, from, idColumn, createdColumn, toResource } = listing;
  const values = [...listing.values];
  const where = [...listing.where];
  if (position !== undefined) {
    values.push(position.at, position.id);
    where.push(
      `(${createdColumn}, ${idColumn}) < ($${values.length - 1}::timestamptz, $${values.length}::uuid)`,
    );
  }
  // One more than asked for tells whether there is a next page.
  values.push(limit + 1);
  const { rows } = await client.query<Row>(
    `select ${columns} from ${from} where ${where.join(' and ')}
     order by ${createdColumn} desc, ${idColumn} desc limit $${values.length}`,
    values,
  );
  const items = rows.slice(0, limit).map(toResource);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { ok: { items, next_cursor: last === undefined ? null : cursorOf(positionOf(last)) } };
}

function positionOf({ created_at, id }: Resource) {
  return { at: created_at.replace('T', ' ').replace('Z', '+00'), id };
}
