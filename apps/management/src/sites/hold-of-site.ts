import type { ResourceCommand } from '@truetally/contracts/resource';
import { paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { holdSite } from '../storage/site.store.js';

/** How rows of a table with data of sites are found and locked. */
export interface RowsOfSites<T> {
  /** The site of a row, whatever its workspace; it never changes. */
  siteOf(client: ClientBase, id: string): Promise<string | undefined>;
  lock(client: ClientBase, id: string): Promise<T | undefined>;
}

/** The resource in the path, for a change: its site is locked first, the order of every command. */
export async function holdOfSite<T>(
  client: ClientBase,
  { workspace_id: workspaceId, params }: ResourceCommand,
  rows: RowsOfSites<T>,
): Promise<T | undefined> {
  const id = paramOf(params, 'id');
  const siteId = await rows.siteOf(client, id);
  const site = siteId === undefined ? undefined : await holdSite(client, workspaceId, siteId);
  return site === undefined ? undefined : rows.lock(client, id);
}
