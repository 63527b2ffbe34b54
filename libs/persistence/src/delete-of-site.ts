import type { ClientBase } from 'pg';

/** Rows of a table with a `site_id`. All of it is SQL of our own, never a value from outside. */
export interface RowsOfSites {
  readonly table: string;
  /** What identifies a row; default: its place. */
  readonly key?: string;
  /** The order of an index that finds a site's rows: `created_at desc, id desc`. */
  readonly order?: string;
}

/** Deletes at most `limit` rows of a site. @returns how many */
export async function deleteOfSite(
  client: ClientBase,
  { table, key = 'ctid', order }: RowsOfSites,
  siteId: string,
  limit: number,
): Promise<number> {
  const ordered = order === undefined ? '' : `order by ${order}`;
  const { rowCount } = await client.query(
    `delete from ${table} where ${key} = any (array(
       select ${key} from ${table} where site_id = $1 ${ordered} limit $2))`,
    [siteId, limit],
  );
  return rowCount ?? 0;
}
