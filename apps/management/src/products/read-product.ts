import type { ManagementQuery, ProductResource } from '@truetally/contracts';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import type { Queryable } from '../storage/page.js';
import { findProduct } from '../storage/product.store.js';

export async function readProduct(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<ProductResource>> {
  const product = await findProduct(client, query.workspace_id, query.params['id']);
  return product === undefined ? refusals.noProduct() : { ok: product };
}
