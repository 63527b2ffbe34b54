import type { ResourceCommand } from '@truetally/contracts/resource';
import type { Table } from '@truetally/persistence';
import { paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { holdSite } from './site.store.js';

/**
 * The resource in the path, of a table with data of sites, for a change: its site is locked first, the order of every command. A
 * concurrent change of the resource waits until this transaction ends.
 */
export async function holdOfSite<T extends object>(
  client: ClientBase,
  { workspace_id: workspaceId, params }: ResourceCommand,
  table: Table<T>,
): Promise<T | undefined> {
  const id = paramOf(params, 'id');
  const known = `select site_id from ${table.name} where id = $1`;
  // Of whatever workspace, and it never changes.
  const [row] = (await client.query<{ site_id: string }>(known, [id])).rows;
  const site = row === undefined ? undefined : await holdSite(client, workspaceId, row.site_id);
  if (site === undefined) return undefined;
  const lock = `select ${table.selection()} from ${table.name} where id = $1 for update`;
  return (await client.query(lock, [id])).rows.map(table.read)[0];
}
