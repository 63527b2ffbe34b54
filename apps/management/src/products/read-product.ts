import type { ManagementQuery } from '@truetally/contracts/management';
import { refusals } from '../domain/refusals.js';
import type { WrittenReply } from '../storage/database.js';
import type { Queryable } from '../storage/page.js';
import { findProduct } from '../storage/product.store.js';

export async function readProduct(client: Queryable, query: ManagementQuery): Promise<WrittenReply> {
  const product = await findProduct(client, query.workspace_id, query.params['id']);
  return product === undefined ? refusals.noProduct() : `{"ok":${product}}`;
}
