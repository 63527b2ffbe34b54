import type { ManagementQuery, Page, Resource } from '@truetally/contracts';
import { cursorOf, type Failure, readCursor } from '@truetally/kernel';
import type { ClientBase, QueryResultRow } from 'pg';
import { refusals } from '../domain/refusals.js';

/** A pool or one of its clients. */
export type Queryable = Pick<ClientBase, 'query'>;

/** What a page's items need to be in their order. */
type Listed = Pick<Resource, 'created_at' | 'id'>;

/** Where a list's rows are, without their order: newest first, by `created_at` and then by the id's column. */
export interface Listing<Row extends QueryResultRow, R extends Listed> {
  readonly columns: string;
  /** A table, or tables and how they are joined. */
  readonly from: string;
  readonly idColumn: string;
  readonly createdColumn: string;
  /** SQL that every row fulfils; `$1`, `$2` … are `values`. */
  readonly where: readonly string[];
  readonly values: readonly unknown[];
  /**
   * A column that must have one value, and by which an index of its own is ordered before creation time and id. Compared
   * with `=`, it would leave Postgres free to walk through another index past any number of rows with other values.
   */
  readonly narrowing?: { readonly column: string; readonly value: unknown };
  readonly toResource: (row: Row) => R;
}

type PageReply<R extends Listed> = { readonly ok: Page<R> } | { readonly error: Failure };
type PageBounds = Pick<ManagementQuery, 'cursor' | 'limit'>;

/**
 * One page, by keyset: its cost is that of its own rows, however many stand before it. The listing needs an index
 * that begins with what `where` compares and ends with the creation time and the id.
 */
export function readPage<Row extends QueryResultRow, R extends Listed>(
  client: Queryable,
  bounds: PageBounds,
  listing: Listing<Row, R>,
): Promise<PageReply<R>> {
  return page(client, bounds, listing, (select) => select);
}

/**
 * The same over the rows of some sites in a table with a column `site_id`, whose index begins with it: of each site what
 * could be on the page is read from its own part of the index, and only that is put in order.
 */
export function readPageOfSites<Row extends QueryResultRow, R extends Listed>(
  client: Queryable,
  bounds: PageBounds,
  siteIds: readonly string[],
  listing: Listing<Row, R>,
): Promise<PageReply<R>> {
  const { columns, idColumn, createdColumn, where, values } = listing;
  const [siteId] = siteIds;
  if (siteId !== undefined && siteIds.length === 1) {
    const ofOne = [...where, `site_id = $${values.length + 1}`];
    return readPage(client, bounds, { ...listing, where: ofOne, values: [...values, siteId] });
  }
  const ofSite = { ...listing, where: [...where, 'site_id = one.of_site'], values: [...values, siteIds] };
  return page(
    client,
    bounds,
    ofSite,
    (select, limit) =>
      `select ${columns} from unnest($${ofSite.values.length}::uuid[]) as one (of_site)
       cross join lateral (${select}) as newest
       order by ${createdColumn} desc, ${idColumn} desc limit ${limit}`,
  );
}

async function page<Row extends QueryResultRow, R extends Listed>(
  client: Queryable,
  { limit, cursor }: PageBounds,
  listing: Listing<Row, R>,
  around: (select: string, limit: string) => string,
): Promise<PageReply<R>> {
  const position = cursor === null ? undefined : readCursor(cursor);
  if (cursor !== null && position === undefined) return refusals.badCursor();
  const { columns, from, idColumn, createdColumn, narrowing, toResource } = listing;
  const values = [...listing.values];
  const where = [...listing.where];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const order = [createdColumn, idColumn];
  const place: string[] = [];
  if (narrowing !== undefined) {
    const wanted = parameter(narrowing.value);
    order.unshift(narrowing.column);
    place.push(wanted);
    where.push(`${narrowing.column} >= ${wanted}`, `${narrowing.column} <= ${wanted}`);
  }
  if (position !== undefined) {
    place.push(`${parameter(position.at)}::timestamptz`, `${parameter(position.id)}::uuid`);
    where.push(`(${order.join(', ')}) < (${place.join(', ')})`);
  }
  // One more than asked for tells whether there is a next page.
  const count = parameter(limit + 1);
  const select = `select ${columns} from ${from} where ${where.join(' and ')}
     order by ${order.map((column) => `${column} desc`).join(', ')} limit ${count}`;
  const { rows } = await client.query<Row>(around(select, count), values);
  const items = rows.slice(0, limit).map(toResource);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { ok: { items, next_cursor: last === undefined ? null : cursorOf(positionOf(last)) } };
}

function positionOf({ created_at, id }: Listed) {
  return { at: created_at.replace('T', ' ').replace('Z', '+00'), id };
}
