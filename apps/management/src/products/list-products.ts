import type { ManagementQuery } from '@truetally/contracts/management';
import { refusals } from '../domain/refusals.js';
import type { WrittenReply } from '../storage/database.js';
import type { Queryable } from '../storage/page.js';
import { pageOfProducts } from '../storage/product.store.js';
import { sitesAskedFor } from '../storage/site.store.js';

export async function listProducts(client: Queryable, query: ManagementQuery): Promise<WrittenReply> {
  const siteIds = await sitesAskedFor(client, query);
  return siteIds === undefined ? refusals.noSite() : pageOfProducts(client, query, siteIds);
}
