import { readFeedRows, type StoredFeedRows, type StoreFeedRows } from '@truetally/contracts/management';
import { failure, formatInstant, type Reply } from '@truetally/kernel';
import { UnreadableError } from '@truetally/messaging';
import type { ClientBase } from 'pg';
import { judgeFeedRows, productIdOf } from '../domain/feed-rows.js';
import { refusals } from '../domain/refusals.js';
import { noteNamed, rowsThatNamed } from '../storage/feed-items.store.js';
import { lockReading, siteOfFeed, storeProgress } from '../storage/feed.store.js';
import { exceedsProducts, upsertProducts } from '../storage/product.store.js';
import { holdSite } from '../storage/site.store.js';

/** No refusal of its rows, as a full quota is. */
const ENDED = failure('NOT_FOUND', 'This reading of the feed has ended.');

/**
 * Stores the next rows of a reading as `PUT /products/batch` would, but row by row: one that breaks a rule stops no other. The
 * last rows may come again, with the same outcome; whatever else is out of order belongs to a reading that has ended.
 */
export async function storeFeedRows(
  client: ClientBase,
  asked: StoreFeedRows,
): Promise<Reply<StoredFeedRows>> {
  const rows = readFeedRows(asked.rows);
  if (!rows.ok) throw new UnreadableError(rows.error);
  // The site first, the order of every command.
  const place = await siteOfFeed(client, asked.integration_id);
  const site = place === undefined ? undefined : await holdSite(client, place.workspaceId, place.siteId);
  const reading = site === undefined ? undefined : await lockReading(client, asked);
  if (site === undefined || reading === undefined) return ENDED;
  const { sequence, run_id: runId, integration_id: integrationId } = asked;
  if (sequence !== reading.sequence && sequence !== reading.sequence + 1) return ENDED;
  const feed = { siteId: site.id, integrationId };
  const ids = rows.value.flatMap(({ product }) => productIdOf(product) ?? []);
  const named = await rowsThatNamed(client, feed, runId, ids);
  const judged = judgeFeedRows(rows.value, named);
  const exceeded = await exceedsProducts(client, site, judged.products);
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  // First, because its lock comes before those of products, which a batch takes in one order, new ones among the others.
  await noteNamed(client, feed, runId, judged.named);
  if (judged.products.length > 0) {
    await upsertProducts(client, site, judged.products, formatInstant(Date.now()));
  }
  const { etag, last_modified } = asked;
  await storeProgress(client, integrationId, sequence, asked.is_last ? { etag, last_modified } : undefined);
  const stored = judged.products.length;
  return { ok: { stored, failed: rows.value.length - stored, errors: judged.errors } };
}
