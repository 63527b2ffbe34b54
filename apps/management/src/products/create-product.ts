import { type ProductResource, readProduct } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { exceedsLately } from '../storage/often-made.store.js';
import { insertProduct } from '../storage/product.store.js';

export async function createProduct(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, body } = command;
  const fields = readProduct(body);
  if (!fields.ok) return refusals.invalid(fields.error);
  const product: ProductResource = { ...newResource(newId(), nowMs), ...fields.value };
  const { site_id: siteId } = product;
  const exceeded = await exceedsLately(client, 'products', { workspaceId, siteId });
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const outcome = await insertProduct(client, workspaceId, product);
  if (outcome === 'no-site') return refusals.noSite();
  if (outcome === 'taken') return refusals.productTaken();
  return { ok: product, audit: { action: 'create', resource: 'product', resourceId: product.id } };
}
