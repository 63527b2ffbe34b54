import { arrayLiteral } from '@truetally/persistence';
import type { Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';

/** A feed of a site. */
export interface FeedPlace {
  readonly siteId: string;
  readonly integrationId: string;
}

/** A row of a feed that names a product. */
export interface NamedProduct {
  readonly productId: string;
  readonly row: number;
}

/** In which rows this reading has named these products already. */
export async function rowsThatNamed(
  client: ClientBase,
  { siteId, integrationId }: FeedPlace,
  runId: string,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ product_id: string; row_number: number }>(
    `select product_id, row_number from feed_items
     where site_id = $1 and integration_id = $2 and run_id = $3 and product_id = any($4::text[])`,
    [siteId, integrationId, runId, arrayLiteral(productIds)],
  );
  return new Map(rows.map(({ product_id, row_number }) => [product_id, row_number]));
}

/**
 * Until the transaction ends no feed of the site leaves a product out: it waits, and sees what is named, also by a row that breaks a
 * rule and stores nothing. Before any product is locked.
 */
export async function noteNamed(
  client: ClientBase,
  { siteId, integrationId }: FeedPlace,
  runId: string,
  named: readonly NamedProduct[],
): Promise<void> {
  if (named.length === 0) return;
  await client.query(`select pg_advisory_xact_lock_shared(${NAMED_OF_SITE})`, [siteId]);
  await client.query(
    `insert into feed_items (site_id, integration_id, run_id, product_id, row_number)
     select $1, $2, $3, product_id, row_number from unnest($4::text[], $5::integer[]) as given (product_id, row_number)
     on conflict (site_id, product_id, integration_id) do update set
       run_id = excluded.run_id, row_number = excluded.row_number`,
    [
      ...[siteId, integrationId, runId],
      arrayLiteral(named.map(({ productId }) => productId)),
      arrayLiteral(named.map(({ row }) => row)),
    ],
  );
}

/** Some products that the feed has ever named, after one of them, in order. */
export async function namedAfter(
  client: ClientBase,
  { siteId, integrationId }: FeedPlace,
  after: string,
  limit: number,
): Promise<readonly { readonly productId: string; readonly runId: string }[]> {
  const { rows } = await client.query<{ product_id: string; run_id: string }>(
    `select product_id, run_id from feed_items
     where site_id = $1 and integration_id = $2 and product_id > $3 order by product_id limit $4`,
    [siteId, integrationId, after, limit],
  );
  return rows.map(({ product_id, run_id }) => ({ productId: product_id, runId: run_id }));
}

const NAMED_OF_SITE = `hashtextextended(current_schema() || ' feed items ' || $1, 0)`;

/**
 * Products that the feed names no longer become discontinued, but those that another feed of the site names: what others name at the
 * same time is waited for, and of two that name a product no longer the later one sees it. What a deleted one has named keeps
 * nothing. Products are locked in the order in which a batch stores them.
 */
export async function discontinue(
  client: ClientBase,
  { siteId, integrationId }: FeedPlace,
  productIds: readonly string[],
  now: string,
): Promise<void> {
  if (productIds.length === 0) return;
  const ids = arrayLiteral(productIds);
  await client.query(`select pg_advisory_xact_lock(${NAMED_OF_SITE})`, [siteId]);
  await client.query(
    `select from products where site_id = $1 and product_id = any($2::text[]) order by product_id collate "C" for update`,
    [siteId, ids],
  );
  await client.query(
    `delete from feed_items where site_id = $1 and integration_id = $2 and product_id = any($3::text[])`,
    [siteId, integrationId, ids],
  );
  await client.query(
    `update products p set availability = 'discontinued', version = version + 1, updated_at = $3
     where site_id = $1 and product_id = any($2::text[]) and availability <> 'discontinued'
       and not exists (
         select from feed_items i join integrations on integrations.id = i.integration_id
         where i.site_id = p.site_id and i.product_id = p.product_id)`,
    [siteId, ids, now],
  );
}

const SOME = 1_000;

/** Deletes what some feeds have named whose integration is gone, and those feeds last. @returns whether there may be more */
export async function forgetGoneFeeds(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ integration_id: string; site_id: string }>(
    `select integration_id, site_id from feeds f
     where not exists (select from integrations where integrations.id = f.integration_id) limit 1`,
  );
  const [feed] = rows;
  if (feed === undefined) return false;
  const { integration_id: integrationId, site_id: siteId } = feed;
  const { rowCount } = await client.query(
    `delete from feed_items where ctid = any (array(
       select ctid from feed_items where site_id = $1 and integration_id = $2 limit ${SOME}))`,
    [siteId, integrationId],
  );
  if (rowCount === 0) await client.query('delete from feeds where integration_id = $1', [integrationId]);
  return true;
}
