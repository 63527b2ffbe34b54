import type { AskOfferedProducts } from '@truetally/contracts/management';
import type { Queryable, WrittenReply } from '@truetally/resource';
import { offeredProducts } from '../storage/product.store.js';

/** Those of the named products that can be bought now or ordered ahead (interface page, section 9). */
export async function listOfferedProducts(
  client: Queryable,
  { site_id, product_ids }: AskOfferedProducts,
): Promise<WrittenReply> {
  const products = await offeredProducts(client, site_id, product_ids);
  return `{"ok":{"products":[${products.join(',')}]}}`;
}
