import type { ManagementQuery, Page, ProductResource } from '@truetally/contracts';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import type { Queryable } from '../storage/page.js';
import { pageOfProducts } from '../storage/product.store.js';
import { sitesAskedFor } from '../storage/site.store.js';

export async function listProducts(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<Page<ProductResource>>> {
  const siteIds = await sitesAskedFor(client, query);
  return siteIds === undefined ? refusals.noSite() : pageOfProducts(client, query, siteIds);
}
