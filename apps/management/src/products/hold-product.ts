import type { ProductResource } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import type { ClientBase } from 'pg';
import { lockProduct, siteOfProduct } from '../storage/product.store.js';
import { holdSite } from '../storage/site.store.js';

/** The product that the path names, for a change: its site before it, as every command takes them. */
export async function holdProduct(
  client: ClientBase,
  { workspace_id: workspaceId, params }: ResourceCommand,
): Promise<ProductResource | undefined> {
  const siteId = await siteOfProduct(client, params['id']);
  const site = siteId === undefined ? undefined : await holdSite(client, workspaceId, siteId);
  return site === undefined ? undefined : lockProduct(client, params['id']);
}
