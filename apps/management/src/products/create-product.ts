import { randomUUID } from 'node:crypto';
import { type ManagementCommand, type ProductResource, readProduct } from '@truetally/contracts';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { newResource } from '../domain/resource.js';
import type { Outcome } from '../storage/database.js';
import { insertProduct } from '../storage/product.store.js';
import { holdSite } from '../storage/site.store.js';

export async function createProduct(client: ClientBase, command: ManagementCommand): Promise<Outcome> {
  const { workspace_id: workspaceId, body } = command;
  const fields = readProduct(body);
  if (!fields.ok) return refusals.invalid(fields.error);
  const site = await holdSite(client, workspaceId, fields.value.site_id);
  if (site === undefined) return refusals.noSite();
  const product: ProductResource = { ...newResource(randomUUID(), Date.now()), ...fields.value };
  if (!(await insertProduct(client, workspaceId, product))) return refusals.productTaken();
  return { ok: product, audit: { action: 'create', resource: 'product', resourceId: product.id } };
}
