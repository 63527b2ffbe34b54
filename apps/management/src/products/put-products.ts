import { type ProductBatchAnswer, readProductBatch } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { formatInstant } from '@truetally/kernel';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { exceedsProducts, upsertProducts } from '../storage/product.store.js';
import { holdSite } from '../storage/site.store.js';

/**
 * Stores all products of a batch, or none. The audit log names only the site, because a feed changes
 * thousands at a time.
 */
export async function putProducts(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const batch = readProductBatch(command.body);
  if (!batch.ok) return refusals.invalid(batch.error);
  const { site_id: siteId, products } = batch.value;
  const site = await holdSite(client, command.workspace_id, siteId);
  if (site === undefined) return refusals.noSite();
  const exceeded = await exceedsProducts(client, site, products);
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const { created, changed } = await upsertProducts(client, site, products, formatInstant(nowMs));
  const answer: ProductBatchAnswer = { created, updated: products.length - created };
  if (created + changed === 0) return { ok: answer };
  return { ok: answer, audit: { action: 'update', resource: 'catalogue', resourceId: site.id } };
}
