import { readProduct } from '@truetally/contracts/management';
import { patchedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { patchFields } from '@truetally/kernel';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { productFields } from '../domain/product.js';
import { refusals } from '../domain/refusals.js';
import { holdOfSite } from '../storage/hold-of-site.js';
import { PRODUCTS, storeProduct } from '../storage/product.store.js';

export async function updateProduct(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const { body, version } = command;
  const product = await holdOfSite(client, command, PRODUCTS);
  if (product === undefined) return refusals.noProduct();
  if (isStale(version, product.version)) return refusals.staleVersion(product.version);
  const fields = readProduct(patchFields(productFields(product), body));
  if (!fields.ok) return refusals.invalid(fields.error);
  if (fields.value.site_id !== product.site_id) return refusals.siteFixed();
  const changed = patchedResource(product, fields.value, nowMs);
  if (changed !== product && !(await storeProduct(client, changed))) return refusals.productTaken();
  return { ok: changed, audit: { action: 'update', resource: 'product', resourceId: product.id } };
}
