import {
  type Page,
  type Resource,
  resourceRefusals,
  type ResourceQuery,
} from '@truetally/contracts/resource';
import { cursorBehind, type Failure, fitting, readCursor } from '@truetally/kernel';
import type { Table } from '@truetally/persistence';
import type { QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** A client, a pool, or a shared reader. */
export interface Queryable {
  query<R extends QueryResultRow>(
    statement: QueryConfig | string,
    values?: unknown[],
  ): Promise<QueryResult<R>>;
}

/** The fields that order a page's items. */
type Listed = Pick<Resource, 'created_at' | 'id'>;

/** Source of a list's rows, newest first: by `created_at` and then by the id's column. */
interface ListedRows {
  readonly columns: string;
  /** A table, or joined tables. */
  readonly from: string;
  readonly idColumn: string;
  readonly createdColumn: string;
  /** SQL conditions of every row; `$1`, `$2` … are `values`. */
  readonly where: readonly string[];
  readonly values: readonly unknown[];
  /**
   * Columns with one fixed value each, which an index of their own has before creation time and id. Compared
   * with `=`, they would allow Postgres to scan another index over any number of rows with other values.
   */
  readonly narrowing?: readonly { readonly column: string; readonly value: unknown }[];
  /** Set where `where` matches at most one row per site, which a unique index finds without an order. */
  readonly isUnique?: boolean;
}

/** A listing whose rows the service maps to resources. */
export interface Listing<Row extends QueryResultRow, R extends Listed> extends ListedRows {
  readonly toResource: (row: Row) => R;
}

/** A listing whose JSON Postgres writes: its rows become neither objects nor text in between. */
export interface WrittenListing extends ListedRows {
  /** A resource's members, selected from `columns`; `id` and `created_at` are among them. */
  readonly members: string;
}

/** What a listing of a table's records takes from its description. */
export function listingOf<R extends Listed>(
  table: Table<R>,
): Pick<Listing<QueryResultRow, R>, 'columns' | 'createdColumn' | 'from' | 'idColumn' | 'toResource'> {
  return {
    columns: table.selection(),
    from: table.name,
    idColumn: table.key,
    createdColumn: 'created_at',
    toResource: table.read,
  };
}

type Refused = { readonly error: Failure };
type PageReply<R extends Listed> = { readonly ok: Page<R> } | Refused;
type PageBounds = Pick<ResourceQuery, 'cursor' | 'limit'>;
/** Wraps the select of a page, whose limit is a parameter. */
type Around = (select: string, limit: string) => string;

/**
 * One page, by keyset: its cost is that of its own rows, however many precede it; it ends early at 4 MiB. The listing needs an index
 * that starts with the columns of `where` and ends with the creation time and the id.
 */
export function readPage<Row extends QueryResultRow, R extends Listed>(
  client: Queryable,
  bounds: PageBounds,
  listing: Listing<Row, R>,
): Promise<PageReply<R>> {
  return page(client, bounds, listing, (select) => select);
}

/**
 * The same over the rows of some sites in a table with a column `site_id`, which its index starts with:
 * candidates of each site are read from its own part of the index, and only they are sorted.
 */
export function readPageOfSites<Row extends QueryResultRow, R extends Listed>(
  client: Queryable,
  bounds: PageBounds,
  siteIds: readonly string[],
  listing: Listing<Row, R>,
): Promise<PageReply<R>> {
  const { rows, around } = ofSites(listing, siteIds);
  return page(client, bounds, { ...listing, ...rows }, around);
}

/** The same as the reply's text. */
export async function writePageOfSites(
  client: Queryable,
  bounds: PageBounds,
  siteIds: readonly string[],
  listing: WrittenListing,
): Promise<string | Refused> {
  const { rows, around } = ofSites(listing, siteIds);
  const written = (select: string): string => asJson(listing.members, select);
  const found = await rowsOfPage<{ json: string }>(client, bounds, { ...listing, ...rows }, (select, limit) =>
    written(around(select, limit)),
  );
  if ('error' in found) return found;
  const items = fitting(
    found.rows.map(({ json }) => json),
    (json) => json,
  );
  const end = endOf(found, items);
  const next = end === undefined ? null : cursorAfter(JSON.parse(end) as Listed);
  return `{"ok":{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(next)}}}`;
}

/** Each row of a select as JSON text, in a column `json`. */
export function asJson(members: string, select: string): string {
  return `select row_to_json(resource)::text as json from (select ${members} from (${select}) as found) as resource`;
}

function ofSites(
  { idColumn, createdColumn, where, values }: Omit<ListedRows, 'columns'>,
  siteIds: readonly string[],
): { readonly rows: Pick<ListedRows, 'values' | 'where'>; readonly around: Around } {
  const [siteId] = siteIds;
  if (siteId !== undefined && siteIds.length === 1) {
    const ofOne = [...where, `site_id = $${values.length + 1}`];
    return { rows: { where: ofOne, values: [...values, siteId] }, around: (select) => select };
  }
  const sites = `unnest($${values.length + 1}::uuid[]) as one (of_site)`;
  return {
    rows: { where: [...where, 'site_id = one.of_site'], values: [...values, siteIds] },
    around: (select, limit) =>
      `select newest.* from ${sites} cross join lateral (${select}) as newest
       order by ${createdColumn} desc, ${idColumn} desc limit ${limit}`,
  };
}

async function page<Row extends QueryResultRow, R extends Listed>(
  client: Queryable,
  bounds: PageBounds,
  listing: Listing<Row, R>,
  around: Around,
): Promise<PageReply<R>> {
  const found = await rowsOfPage<Row>(client, bounds, listing, around);
  if ('error' in found) return found;
  const items = fitting(found.rows.map(listing.toResource), (item) => JSON.stringify(item));
  const end = endOf(found, items);
  return { ok: { items, next_cursor: end === undefined ? null : cursorAfter(end) } };
}

/** The last item of a page behind which there are others; undefined at the end of the list. */
function endOf<Item>(found: FoundRows<unknown>, items: readonly Item[]): Item | undefined {
  return found.hasMore || items.length < found.rows.length ? items.at(-1) : undefined;
}

function cursorAfter({ created_at, id }: Listed): string {
  return cursorBehind(created_at, id);
}

interface FoundRows<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

async function rowsOfPage<Row extends QueryResultRow>(
  client: Queryable,
  { limit, cursor }: PageBounds,
  listing: ListedRows,
  around: Around,
): Promise<FoundRows<Row> | Refused> {
  const position = cursor === null ? undefined : readCursor(cursor);
  if (cursor !== null && position === undefined) return resourceRefusals.badCursor();
  const { columns, from, idColumn, createdColumn, narrowing = [] } = listing;
  const values = [...listing.values];
  const where = [...listing.where];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const order = [...narrowing.map(({ column }) => column), createdColumn, idColumn];
  const place: string[] = [];
  for (const { column, value } of narrowing) {
    const wanted = parameter(value);
    place.push(wanted);
    where.push(`${column} >= ${wanted}`, `${column} <= ${wanted}`);
  }
  if (position !== undefined) {
    place.push(`${parameter(position.at)}::timestamptz`, `${parameter(position.id)}::uuid`);
    where.push(`(${order.join(', ')}) < (${place.join(', ')})`);
  }
  // One extra row shows whether there is a next page.
  const count = parameter(limit + 1);
  const inOrder = `order by ${order.map((column) => `${column} desc`).join(', ')}`;
  const select = `select ${columns} from ${from} where ${where.join(' and ')}
     ${listing.isUnique === true ? '' : inOrder} limit ${count}`;
  const { rows } = await client.query<Row>({ ...prepared(around(select, count)), values });
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** There are as many texts as lists have filters, and each is planned once per connection. */
const names = new Map<string, string>();

function prepared(text: string): { readonly name: string; readonly text: string } {
  const name = names.get(text) ?? `page-${names.size}`;
  names.set(text, name);
  return { name, text };
}
