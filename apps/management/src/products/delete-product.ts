import type { ResourceCommand } from '@truetally/contracts/resource';
import { isStale, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { holdOfSite } from '../sites/hold-of-site.js';
import { PRODUCTS, removeProduct } from '../storage/product.store.js';

export async function deleteProduct(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const { version } = command;
  const product = await holdOfSite(client, command, PRODUCTS);
  if (product === undefined) return refusals.noProduct();
  if (isStale(version, product.version)) return refusals.staleVersion(product.version);
  await removeProduct(client, product.id);
  return {
    ok: { id: product.id, deleted: true },
    audit: { action: 'delete', resource: 'product', resourceId: product.id },
  };
}
