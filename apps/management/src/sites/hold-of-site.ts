import type { ResourceCommand } from '@truetally/contracts/resource';
import { paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { holdSite } from '../storage/site.store.js';

/** How rows of a table that belong to a site are found and locked. */
export interface RowsOfSites<T> {
  /** The site of a row, whatever its workspace; a row never moves to another. */
  siteOf(client: ClientBase, id: string): Promise<string | undefined>;
  lock(client: ClientBase, id: string): Promise<T | undefined>;
}

/** What the path names, for a change: its site before it, as every command takes them. */
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
