import type { ResourceQuery } from '@truetally/contracts/resource';
import { type Queryable, type WrittenReply, paramOf } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findProduct } from '../storage/product.store.js';

export async function readProduct(client: Queryable, query: ResourceQuery): Promise<WrittenReply> {
  const product = await findProduct(client, query.workspace_id, paramOf(query.params, 'id'));
  return product === undefined ? refusals.noProduct() : `{"ok":${product}}`;
}
